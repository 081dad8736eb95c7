import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { env } from "#server/env.ts";

/**
 * The client address that the audit log records. `x-forwarded-for` counts only from a proxy on this machine or one in
 * SPILLWAY_TRUSTED_PROXIES, because any other client can forge it. The result is the last entry that is not itself a trusted
 * proxy.
 */
export function clientAddress(req: Pick<IncomingMessage, "headers" | "socket">): string | null {
	configured ??= trustedProxies(env().SPILLWAY_TRUSTED_PROXIES);
	return addressOf(req.socket.remoteAddress ?? null, req.headers["x-forwarded-for"] ?? null, configured);
}

let configured: BlockList | undefined;

/** The same where only the headers are available: web.ts writes the address there. */
export const ADDRESS_HEADER = "x-spillway-client-address";

/** @param entries addresses and networks (`10.1.0.0/16`), validated by server/env.ts; loopback is always included */
export function trustedProxies(entries: readonly string[] = []): BlockList {
	const list = new BlockList();
	for (const entry of ["127.0.0.0/8", "::1", ...entries]) {
		const [address = "", bits] = entry.split("/");
		const family = isIP(address) === 6 ? "ipv6" : "ipv4";
		list.addSubnet(address, bits === undefined ? (family === "ipv4" ? 32 : 128) : Number(bits), family);
	}
	return list;
}

export function addressOf(peer: string | null, forwarded: string | readonly string[] | null, trusted: BlockList): string | null {
	let address = plain(peer);
	const hops = [forwarded ?? ""].flat().join(",").split(",");
	while (address !== null && isTrusted(address, trusted) && hops.length > 0) {
		const next = plain(hops.pop()?.trim() ?? null);
		if (next === null || isIP(next) === 0) return address;
		address = next;
	}
	return address;
}

/** IPv4 within IPv6 is written as IPv4. */
function plain(address: string | null): string | null {
	return address === null || address === "" ? null : address.replace(/^::ffff:(?=\d+\.)/, "");
}

function isTrusted(address: string, trusted: BlockList): boolean {
	const version = isIP(address);
	return version !== 0 && trusted.check(address, version === 6 ? "ipv6" : "ipv4");
}
