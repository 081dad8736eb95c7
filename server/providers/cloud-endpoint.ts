import { z } from "zod";
import { isThisHost } from "#server/kernel/hosts.ts";

/**
 * Another endpoint than the provider's own. Plain http is for an emulator on this host: a token that is sent over it can be read
 * by anyone who is on the way.
 */
export const cloudEndpointSchema = z
	.url({ protocol: /^https?$/ })
	.refine(isSafe, "plain http is allowed for an emulator on this host only; use https");

/**
 * Of a site's settings, the endpoint that is on another host: the account's tokens are sent there, and those of this process where
 * the site has none. Only writing to the database sets one; see `SiteKind.guarded`.
 */
export function endpointElsewhere({ endpoint }: Record<string, unknown>): { endpoint?: unknown } {
	return endpoint === undefined || (typeof endpoint === "string" && isHere(endpoint)) ? {} : { endpoint };
}

/** An emulator's address without a slash at its end: plain http is taken for nothing else. Null: the provider's own, or a copy of it. */
export function emulatorAt(endpoint: string | undefined): string | null {
	return endpoint?.startsWith("http:") ? endpoint.replace(/\/+$/, "") : null;
}

function isHere(endpoint: string): boolean {
	return URL.canParse(endpoint) && isThisHost(new URL(endpoint).hostname);
}

function isSafe(endpoint: string): boolean {
	// What is no address at all has been refused already.
	if (!URL.canParse(endpoint)) return true;
	return new URL(endpoint).protocol === "https:" || isHere(endpoint);
}
