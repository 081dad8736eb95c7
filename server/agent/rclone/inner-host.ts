import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { StagingError } from "../safe-path.ts";

/** This host, and the link-local addresses at which clouds serve credentials to it. */
const INNER = new BlockList();
INNER.addSubnet("127.0.0.0", 8, "ipv4");
INNER.addSubnet("0.0.0.0", 8, "ipv4");
INNER.addSubnet("169.254.0.0", 16, "ipv4");
INNER.addAddress("::1", "ipv6");
INNER.addAddress("::", "ipv6");
INNER.addSubnet("fe80::", 10, "ipv6");
// The IPv6 addresses of AWS' and Google's metadata services.
INNER.addSubnet("fd00:ec2::", 32, "ipv6");
INNER.addAddress("fd20:ce::254", "ipv6");

/**
 * Checks that a job's address does not make a company host fetch from itself or from its cloud's metadata service, which serves
 * the host's own data and credentials. An operator's remote may. Names are resolved. A name that resolves differently a moment
 * later, or a server that redirects there, is not detected.
 * @throws StagingError
 */
export async function rejectInnerHost(url: string): Promise<void> {
	const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1");
	const addresses = isIP(host) !== 0 ? [host] : (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
	if (!addresses.some(isInner)) return;
	throw new StagingError(
		`${host} is this host or its cloud's metadata service, which jobs cannot fetch data from. An administrator can add it as a data remote`,
	);
}

function isInner(address: string): boolean {
	// An IPv4 address in IPv6 notation is checked against the IPv4 rules.
	return INNER.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
