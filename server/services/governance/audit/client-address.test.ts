import { describe, expect, it } from "vitest";
import { addressOf } from "./client-address.ts";

describe("the address of a request", () => {
	it.each([
		["of a peer elsewhere, whatever it claims", "203.0.113.7", "198.51.100.1", "203.0.113.7"],
		["that a proxy on this machine has seen last", "127.0.0.1", "10.0.0.1, 198.51.100.1", "198.51.100.1"],
		["of IPv6 through a proxy", "::1", "2001:db8::7", "2001:db8::7"],
		["of IPv4 within IPv6", "::ffff:203.0.113.7", null, "203.0.113.7"],
		["of this machine without a proxy", "::ffff:127.0.0.1", null, "127.0.0.1"],
		["of this machine when the header is no address", "127.0.0.1", "<script>", "127.0.0.1"],
		["of no one", null, "198.51.100.1", null],
	])("is the one %s", (_, peer, forwarded, want) => {
		expect(addressOf(peer, forwarded)).toBe(want);
	});
});
