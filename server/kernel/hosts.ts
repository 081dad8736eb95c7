/** Whether a URL's host name always means this host, on any machine. */
export function isThisHost(hostname: string): boolean {
	return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Whether other machines cannot reach a URL: its host is a loopback or the unspecified address. */
export function isOnlyThisHost(url: string): boolean {
	const { hostname } = new URL(url);
	return isThisHost(hostname) || hostname === "0.0.0.0" || hostname === "[::]";
}

/** Names unknown to public name servers: a single label, and the reserved endings (RFC 6762, RFC 8375, ICANN's `internal`). */
const PRIVATE_NAME = /^[^.:[\]]+$|\.(internal|local|home\.arpa|lan)$/;
/** RFC 1918, RFC 6598 (shared by VPNs), RFC 3927, and RFC 4193 and RFC 4291 of IPv6. */
const PRIVATE_ADDRESS =
	/^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|169\.254\.)\d|^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/;

/** Whether secrets may be sent to a URL: over TLS to any host, in plain text only to this one or within a private network. */
export function isPlainHttpAllowed(url: string): boolean {
	const { protocol, hostname } = new URL(url);
	return protocol === "https:" || isThisHost(hostname) || PRIVATE_NAME.test(hostname) || PRIVATE_ADDRESS.test(hostname);
}

/** Link-local addresses, also inside IPv6, the special addresses of AWS, Alibaba and Oracle, and Google's names. */
const METADATA_HOST =
	/^(169\.254\.\d+\.\d+|100\.100\.100\.200|192\.0\.0\.192|\[::ffff:a9fe:[0-9a-f]+\]|\[fe[89ab][0-9a-f]:.*\]|\[fd00:ec2::254\]|metadata(\.google\.internal|\.goog)?\.?)$/;

/** Whether a URL's host name is a cloud's metadata service, which returns a machine's credentials. */
export function isMetadataHost(hostname: string): boolean {
	return METADATA_HOST.test(hostname);
}

/** Whether an http URL consists of its origin and a path of plain segments: no query, fragment or password. */
export function hasPlainPath(address: string): boolean {
	const { origin, pathname, href } = new URL(address);
	return href === `${origin}${pathname}` && /^(\/[A-Za-z0-9_~.-]+)*\/?$/.test(pathname);
}
