import { describe, expect, it } from "vitest";
import { addressOf, trustedProxies } from "./client-address.ts";

describe("the address of a request", () => {
	it.each([
		["of an untrusted peer, whatever its header says", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
		["that a proxy on this machine saw last", "127.0.0.1", "10.0.0.1, 198.51.100.1", "198.51.100.1"],
		["of IPv6 through a proxy", "::1", "2001:db8::7", "2001:db8::7"],
		["of IPv4 within IPv6", "::ffff:203.0.113.7", null, "203.0.113.7"],
		["of this machine without a proxy", "::ffff:127.0.0.1", null, "127.0.0.1"],
		["of this machine when the header is not an address", "127.0.0.1", "<script>", "127.0.0.1"],
		["unknown", null, "198.51.100.1", null],
	])("is the one %s", (_, peer, forwarded, want) => {
		expect(addressOf(peer, forwarded, trustedProxies())).toBe(want);
	});
	it.each([
		["behind a trusted proxy", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
		["behind two trusted proxies", "10.1.2.3", "198.51.100.1, 10.1.9.9", "198.51.100.1"],
		["last untrusted, whatever the client wrote before it", "10.1.2.3", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
		["of a proxy that is not trusted", "10.2.0.1", "198.51.100.1", "10.2.0.1"],
		["of an IPv6 proxy", "fd00::5", "198.51.100.1", "198.51.100.1"],
	])("is the one %s", (_, peer, forwarded, want) => {
		expect(addressOf(peer, forwarded, trustedProxies(["10.1.0.0/16", "fd00::/8"]))).toBe(want);
	});
});
