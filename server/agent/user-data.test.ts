import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type UserDataInput, userData } from "./user-data.ts";

const input: UserDataInput = {
	controlUrl: "https://spillway.example.com:8443/base/",
	instanceId: "ins_01jd0000000000000000000000_001_0",
	bootstrapSecret: "a-B_".repeat(11).slice(0, 43),
	agentSha256: "ab".repeat(32),
	expiresAtMs: 1_795_000_000_123,
	lifeMs: 7_200_000,
	runtimeSha256: { "linux-x64": "cd".repeat(32), "linux-arm64": "ef".repeat(32) },
};

describe("userData", () => {
	it("is a script for a POSIX shell, smaller than 4 kB", () => {
		const script = userData(input);
		expect(Buffer.byteLength(script)).toBeLessThan(4_096);
		expect(script.startsWith("#!/bin/sh\n")).toBe(true);
		execFileSync("/bin/sh", ["-n"], { input: script });
		execFileSync("/bin/sh", ["-n"], { input: userData({ ...input, runtimeSha256: {} }) });
		const network = {
			proxy: "http://proxy.internal:3128",
			noProxy: ["*.internal", "10.0.0.1"],
			certificates: "-----BEGIN CERTIFICATE-----",
		};
		execFileSync("/bin/sh", ["-n"], { input: userData({ ...input, network }) });
	});

	it("is the same for the same instance", () => {
		expect(userData({ ...input })).toBe(userData(input));
	});

	it("sets the dead man's switch before anything that can fail or hang", () => {
		const script = userData(input);
		const calls = script
			.split("\n")
			.filter((l) => !/^\w+\(\)|^#|^ {2}|^}/.test(l))
			.join("\n");
		expect(calls.indexOf('sleep "$left"')).toBeGreaterThan(0);
		expect(calls.indexOf('sleep "$left"')).toBeLessThan(calls.indexOf("mktemp"));
		expect(calls.indexOf('sleep "$left"')).toBeLessThan(calls.indexOf("get agent.mjs"));
	});

	it.each([
		["an address with a quote", { controlUrl: "http://x/'; reboot; '" }],
		["an address that is not a URL", { controlUrl: "file:///etc" }],
		["a secret with shell syntax", { bootstrapSecret: "$(reboot)" }],
		["an id with shell syntax", { instanceId: "ins_`id`" }],
		["an invalid checksum", { agentSha256: "abc" }],
		["an invalid expiry", { expiresAtMs: Number.NaN }],
		["an invalid lifetime", { lifeMs: 0 }],
		["an unknown platform", { runtimeSha256: { "x) reboot": "cd".repeat(32) } }],
		["a proxy with a password", { network: { proxy: "http://user:password@proxy.internal:3128" } }],
		["a host with shell syntax", { network: { proxy: "http://proxy.internal:3128", noProxy: ["'; reboot; '"] } }],
		["certificates with shell syntax", { network: { certificates: "-----\n$(reboot)" } }],
	])("rejects %s", (_what, wrong) => {
		expect(() => userData({ ...input, ...wrong })).toThrow();
	});
});
