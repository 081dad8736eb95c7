import { lookup as dnsLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Addresses that are not the public internet. IPv4: RFC 6890 with RFC 1918, 3927, 5737, 6598 and multicast. IPv6: RFC 4291,
 * 4193, 3879, 6666, 3849, and the forms that carry an IPv4 address (NAT64 RFC 6052 and 8215, 6to4 RFC 3056, Teredo RFC 4380).
 * The metadata services of clouds lie within: 169.254.169.254, 100.100.100.200, 192.0.0.192, fd00:ec2::254.
 */
const NOT_PUBLIC = new BlockList();
const IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
	192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`;
const IPV6 = "::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/32 2001:db8::/32 2002::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8";
for (const [list, family] of [
	[IPV4, "ipv4"],
	[IPV6, "ipv6"],
] as const) {
	for (const network of list.split(/\s+/)) {
		const [net = "", bits] = network.split("/");
		NOT_PUBLIC.addSubnet(net, Number(bits), family);
	}
}

/** Host names, addresses and networks (`10.1.0.0/16`) that an administrator allows besides public ones. */
export interface OutgoingAllowance {
	names: ReadonlySet<string>;
	networks: BlockList;
}

export function parseAllowance(entries: readonly string[]): OutgoingAllowance {
	const names = new Set<string>();
	const networks = new BlockList();
	for (const entry of entries) {
		const [address = "", bits] = entry.replace(/[[\]]/g, "").split("/");
		const version = isIP(address);
		if (version === 0) names.add(entry.toLowerCase());
		else networks.addSubnet(address, bits === undefined ? (version === 4 ? 32 : 128) : Number(bits), version === 4 ? "ipv4" : "ipv6");
	}
	return { names, networks };
}

/** Whether a connection to this address is allowed for this host name. */
export function isAllowedAddress(host: string, address: string, allowance: OutgoingAllowance): boolean {
	const version = isIP(address);
	if (version === 0) return false;
	const family = version === 4 ? "ipv4" : "ipv6";
	// Node compares an IPv4 address inside an IPv6 one (::ffff:10.0.0.1) as IPv4.
	return !NOT_PUBLIC.check(address, family) || allowance.names.has(host.toLowerCase()) || allowance.networks.check(address, family);
}

/** The code of the error for an address that is not allowed. */
export const REFUSED_TARGET = "REFUSED_TARGET";

/** @throws Error with REFUSED_TARGET when the host is a disallowed address; names are checked by the look-up */
export function requireAllowedHost(hostname: string, allowance: OutgoingAllowance): void {
	const host = hostname.replace(/^\[|\]$/g, "");
	if (isIP(host) !== 0 && !isAllowedAddress(host, host, allowance)) throw refused(host);
}

/** Resolves once and returns only allowed addresses, so that the connection goes to a checked address. */
export function guardedLookup(allowance: OutgoingAllowance): LookupFunction {
	return (hostname, options, callback) => {
		dnsLookup(hostname, options, (error, address, family) => {
			if (error) return callback(error, "", 0);
			const found = Array.isArray(address) ? address.map((a) => a.address) : [address];
			if (found.some((a) => !isAllowedAddress(hostname, a, allowance))) return callback(refused(hostname), "", 0);
			callback(null, address, family);
		});
	};
}

/** Contains no address: callers must not learn what an internal name resolves to. */
function refused(host: string): Error {
	return Object.assign(new Error(`${host} is not a public address. An administrator can allow it in SPILLWAY_OUTGOING_HOSTS.`), {
		code: REFUSED_TARGET,
	});
}
