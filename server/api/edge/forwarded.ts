import type { IncomingHttpHeaders } from "node:http";
import { hostOf } from "./hosts.ts";

/**
 * Sanitizes X-Forwarded-Host and X-Forwarded-Proto of a page request, because Next and next-auth build URLs from them.
 * An unknown host name is replaced by the Host header, which was checked. A missing protocol defaults to that of
 * `publicUrl` on its host, since not every proxy sends one.
 */
export function correctForwarded(headers: IncomingHttpHeaders, of: { publicUrl: string; allowed: ReadonlySet<string> }): void {
	const given = firstOf(headers["x-forwarded-host"]);
	const name = hostOf(given);
	const host = given !== undefined && name !== null && of.allowed.has(name) ? given : headers.host;
	if (host === undefined) delete headers["x-forwarded-host"];
	else headers["x-forwarded-host"] = host;
	const url = new URL(of.publicUrl);
	const protocol = firstOf(headers["x-forwarded-proto"])?.toLowerCase();
	if (protocol === "http" || protocol === "https") headers["x-forwarded-proto"] = protocol;
	else if (host?.toLowerCase() === url.host) headers["x-forwarded-proto"] = url.protocol.slice(0, -1);
	else delete headers["x-forwarded-proto"];
}

/** Each proxy appends its own value; the first is the one from the client. */
function firstOf(header: string | string[] | undefined): string | undefined {
	return [header ?? []].flat().join(",").split(",")[0]?.trim() || undefined;
}
