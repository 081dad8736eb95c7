import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { guardedFetch } from "./guarded-fetch.ts";
import { isAllowedAddress, parseAllowance } from "./outgoing.ts";

const NONE = parseAllowance([]);

it("allows public addresses only", () => {
	for (const address of ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2600:1f18::1", "2a00:1450::1"])
		expect(isAllowedAddress("x.test", address, NONE), address).toBe(true);
	const inside = [
		...[
			"127.0.0.1",
			"127.9.9.9",
			"0.0.0.0",
			"10.0.0.1",
			"172.16.0.1",
			"172.31.255.255",
			"192.168.1.1",
			"169.254.169.254",
			"100.100.100.200",
		],
		...["192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fd00:ec2::254", "fc00::1", "ff02::1"],
		...[
			"::ffff:127.0.0.1",
			"::ffff:a9fe:a9fe",
			"64:ff9b::7f00:1",
			"64:ff9b::a9fe:a9fe",
			"64:ff9b:1::1",
			"2002:7f00:1::",
			"::7f00:1",
			"not an address",
		],
	];
	for (const address of inside) expect(isAllowedAddress("x.test", address, NONE), address).toBe(false);
});

it("allows hosts, addresses and networks set by an administrator", () => {
	const allowance = parseAllowance(["hooks.internal", "10.1.0.0/16", "192.168.5.5", "fd12::/16"]);
	expect(isAllowedAddress("HOOKS.internal", "10.9.9.9", allowance)).toBe(true);
	expect(isAllowedAddress("other.internal", "10.9.9.9", allowance)).toBe(false);
	expect(isAllowedAddress("other.internal", "10.1.9.9", allowance)).toBe(true);
	expect(isAllowedAddress("x", "192.168.5.5", allowance)).toBe(true);
	expect(isAllowedAddress("x", "192.168.5.6", allowance)).toBe(false);
	expect(isAllowedAddress("x", "fd12::9", allowance)).toBe(true);
});

it("blocks internal addresses and names until they are allowed", async () => {
	let calls = 0;
	const server = createServer((_, res) => {
		calls++;
		res.end("inside");
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"])
		await expect(guardedFetch(NONE)(`http://${host}:${port}/`), host).rejects.toMatchObject({ code: "REFUSED_TARGET" });
	expect(calls).toBe(0);
	const answer = await guardedFetch(parseAllowance(["127.0.0.1"]))(`http://127.0.0.1:${port}/`, { method: "POST", body: "x" });
	expect([answer.status, await answer.text(), calls]).toEqual([200, "inside", 1]);
	server.close();
});
