import { z } from "zod";
import { isThisHost } from "#server/kernel/hosts.ts";

/**
 * An endpoint other than the provider's own. Plain http is only for an emulator on this host: a token sent over it can be read on
 * the network.
 */
export const cloudEndpointSchema = z
	.url({ protocol: /^https?$/ })
	.refine(isSafe, "plain http is allowed for an emulator on this host only; use https");

/**
 * The endpoint in a site's settings if it is on another host. The account's tokens are sent there, or this process's if the site
 * has none. It can only be set by writing to the database; see `SiteKind.guarded`.
 */
export function endpointElsewhere({ endpoint }: Record<string, unknown>): { endpoint?: unknown } {
	return endpoint === undefined || (typeof endpoint === "string" && isHere(endpoint)) ? {} : { endpoint };
}

/**
 * An emulator's address without a trailing slash: plain http is accepted only for emulators. null: the provider's own endpoint,
 * or a copy of it.
 */
export function emulatorAt(endpoint: string | undefined): string | null {
	return endpoint?.startsWith("http:") ? endpoint.replace(/\/+$/, "") : null;
}

function isHere(endpoint: string): boolean {
	return URL.canParse(endpoint) && isThisHost(new URL(endpoint).hostname);
}

function isSafe(endpoint: string): boolean {
	// Invalid addresses have already been rejected.
	if (!URL.canParse(endpoint)) return true;
	return new URL(endpoint).protocol === "https:" || isHere(endpoint);
}
