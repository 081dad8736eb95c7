import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { StagingError } from "../safe-path.ts";

/** This host, and the link-local addresses at which clouds hand out credentials to it. */
const INNER = new BlockList();
INNER.addSubnet("127.0.0.0", 8, "ipv4");
INNER.addSubnet("0.0.0.0", 8, "ipv4");
INNER.addSubnet("169.254.0.0", 16, "ipv4");
INNER.addAddress("::1", "ipv6");
INNER.addAddress("::", "ipv6");
INNER.addSubnet("fe80::", 10, "ipv6");
// AWS' and Google's metadata services by IPv6.
INNER.addSubnet("fd00:ec2::", 32, "ipv6");
INNER.addAddress("fd20:ce::254", "ipv6");

/**
 * A job's address must not make a host of the company fetch from itself or from its cloud's metadata service: what is there is
 * that host's own. An operator's remote may. Names are resolved; one that answers otherwise a moment later, or a server that
 * redirects there, is not caught.
 * @throws StagingError
 */
export async function refuseInnerHost(url: string): Promise<void> {
	const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
	const addresses = isIP(host) !== 0 ? [host] : (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
	if (!addresses.some(isInner)) return;
	throw new StagingError(
		`${host} is this host itself or its cloud's metadata service, and a job's data are not fetched from there; anyone who runs Spillway can name it as a data remote`,
	);
}

function isInner(address: string): boolean {
	// An IPv4 address written as IPv6 meets the rules for IPv4.
	return INNER.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
