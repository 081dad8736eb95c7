import { z } from "zod";

/**
 * Another endpoint than the provider's own. Plain http is for an emulator on this host: a token that is sent over it can be read
 * by whoever is on the way.
 */
export const cloudEndpointSchema = z
	.url({ protocol: /^https?$/ })
	.refine(isSafe, "plain http is allowed for an emulator on this host only; use https");

function isSafe(endpoint: string): boolean {
	// What is no address at all has been refused already.
	if (!URL.canParse(endpoint)) return true;
	const url = new URL(endpoint);
	return url.protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
}
