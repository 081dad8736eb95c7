import { BlockList, isIP } from "node:net";
import { SpillwayError } from "#server/kernel/errors.ts";

/**
 * Addresses at which clouds tell machines their own credentials, and what is meant for one link only. Sources: RFC 3927
 * (169.254.0.0/16), RFC 4291 2.5.6 (fe80::/10), AWS (fd00:ec2::254), Alibaba Cloud (100.100.100.200), Oracle (192.0.0.192).
 */
const REFUSED = new BlockList();
REFUSED.addSubnet("169.254.0.0", 16, "ipv4");
REFUSED.addAddress("100.100.100.200", "ipv4");
REFUSED.addAddress("192.0.0.192", "ipv4");
REFUSED.addSubnet("fe80::", 10, "ipv6");
REFUSED.addAddress("fd00:ec2::254", "ipv6");

/** Asked of every address that a name leads to, right before it is connected to: a name that changes its mind helps nobody. */
export function isRefusedAddress(address: string): boolean {
	const version = isIP(address);
	if (version === 4) return REFUSED.check(address, "ipv4");
	// An IPv4 address inside an IPv6 one (::ffff:169.254.169.254) is checked as the former by Node.
	return version === 6 && REFUSED.check(address, "ipv6");
}

/** @throws SpillwayError `invalid_input` for an address that is nobody's webhook. */
export function refuseTarget(address: string): void {
	if (!isRefusedAddress(address)) return;
	throw new SpillwayError("invalid_input", `${address} is a link-local or metadata address, which webhooks are not sent to.`, {
		fix: "Use the receiver's own address. An installation that needs it can allow it in the setting alerts.allowLinkLocal.",
	});
}
