import type { IncomingMessage } from "node:http";

/**
 * The address that a request came from, as the audit keeps it. `x-forwarded-for` is believed only of a proxy on this very
 * machine: anybody else could write there what they like. Its last entry is the one that the proxy has seen itself.
 */
export function clientAddress(req: Pick<IncomingMessage, "headers" | "socket">): string | null {
	return addressOf(req.socket.remoteAddress ?? null, req.headers["x-forwarded-for"] ?? null);
}

/** The same where only the headers are left: the web server has put the address there, see web.ts. */
export const ADDRESS_HEADER = "x-spillway-client-address";

export function addressOf(peer: string | null, forwarded: string | readonly string[] | null): string | null {
	const address = plain(peer);
	if (address === null || !isLoopback(address)) return address;
	const last = plain([forwarded ?? ""].flat().join(",").split(",").at(-1)?.trim() ?? null);
	return last === null || !/^[0-9a-fA-F:.]{2,45}$/.test(last) ? address : last;
}

/** IPv4 within IPv6 is written as IPv4. */
function plain(address: string | null): string | null {
	return address === null || address === "" ? null : address.replace(/^::ffff:(?=\d+\.)/, "");
}

function isLoopback(address: string): boolean {
	return address === "::1" || address.startsWith("127.");
}
