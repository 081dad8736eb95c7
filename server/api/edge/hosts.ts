import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { SpillwayError } from "#server/kernel/errors.ts";

type Asked = Pick<IncomingMessage, "headers" | "method"> & { socket: Pick<IncomingMessage["socket"], "localAddress"> };

/** Host names of this server, without ports. */
export function allowedHosts(settings: { publicUrl: string; host: string; more: readonly string[] }): ReadonlySet<string> {
	const names = [new URL(settings.publicUrl).hostname, settings.host, ...settings.more, "localhost", "127.0.0.1", "[::1]"];
	return new Set(names.map((name) => (isIP(name) === 6 ? `[${name}]` : name).toLowerCase()));
}

/**
 * Rejects requests for other hosts. Otherwise a page on a foreign name that resolves to this address (DNS rebinding)
 * would have the same origin as this server. The server's own address is accepted too, because a name cannot be
 * rebound to it.
 * @throws SpillwayError `invalid_input` for a malformed host, `misdirected` for a foreign one
 */
export function requireKnownHost(req: Asked, allowed: ReadonlySet<string>): void {
	const host = hostOf(req.headers.host);
	if (host === null) throw new SpillwayError("invalid_input", "The Host header is missing or malformed.");
	const own = (req.socket.localAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
	if (allowed.has(host) || (own !== "" && host === (isIP(own) === 6 ? `[${own}]` : own))) return;
	throw new SpillwayError("misdirected", "This server does not answer for that host name.", {
		fix: "Use the configured address, or add the name to SPILLWAY_ALLOWED_HOSTS.",
	});
}

const PORT_MAX = 65_535;
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Rejects writes that a page of another origin sends with a person's cookies. Clients other than browsers send neither
 * Origin nor Sec-Fetch-Site, and no page can make them send a cookie.
 * @throws SpillwayError `forbidden`
 */
export function requireSameOrigin(req: Asked, publicUrl: string): void {
	if (SAFE_METHODS.has(req.method ?? "GET")) return;
	const { origin, host } = req.headers;
	const site = req.headers["sec-fetch-site"];
	const isSame =
		origin === undefined
			? site === undefined || site === "same-origin" || site === "none"
			: originHosts(host, publicUrl).has(hostOfUrl(origin));
	if (isSame) return;
	throw new SpillwayError("forbidden", "The request comes from another site.", { fix: "Open Spillway itself and try again." });
}

function originHosts(host: string | undefined, publicUrl: string): Set<string | null> {
	return new Set([host?.toLowerCase() ?? "", new URL(publicUrl).host]);
}

function hostOfUrl(url: string): string | null {
	return URL.canParse(url) ? new URL(url).host : null;
}

/** Host name in lower case without its port; null if it is not a host. */
export function hostOf(header: string | undefined): string | null {
	if (header === undefined || !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(header)) return null;
	if (Number(/:(\d+)$/.exec(header)?.[1] ?? 0) > PORT_MAX) return null;
	return header
		.replace(/:\d{1,5}$/, "")
		.replace(/\.$/, "")
		.toLowerCase();
}
