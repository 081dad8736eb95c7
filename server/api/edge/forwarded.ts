import type { IncomingHttpHeaders } from "node:http";
import { hostOf } from "./hosts.ts";

/**
 * Makes X-Forwarded-Host and X-Forwarded-Proto of a page's request safe to build addresses from, as Next and next-auth do. A host
 * name that this server does not answer for is replaced by the Host header, which was checked. A missing protocol is that of
 * `publicUrl` on its host: not every proxy sends one.
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

/** Each proxy appends its own value: the first is the one that the client used. */
function firstOf(header: string | string[] | undefined): string | undefined {
	return [header ?? []].flat().join(",").split(",")[0]?.trim() || undefined;
}
