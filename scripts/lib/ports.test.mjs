import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { HOST, parsePort, portHolder, rememberedPorts, requireFreePort } from "./ports.mjs";

const servers = [];
afterEach(() => {
	for (const server of servers.splice(0)) server.close();
});

async function listen(server) {
	servers.push(server);
	await new Promise((resolve) => server.listen(0, HOST, resolve));
	return server.address().port;
}

describe("SPILLWAY_PORT", () => {
	it.each(["0", "-1", "65536", "3e3", "80a", " 80", "1.5"])("%j is rejected with the allowed values", (text) => {
		expect(() => parsePort(text, 3000)).toThrow(/is not a port/);
	});

	it("is 3000 when it is not set", () => {
		expect([undefined, "", "8080"].map((text) => parsePort(text, 3000))).toEqual([3000, 3000, 8080]);
	});
});

describe("a taken port", () => {
	it("is reported with the program that responds there, and a solution", async () => {
		const port = await listen(http.createServer((_, answer) => answer.end("hello")));
		await expect(requireFreePort(port)).rejects.toMatchObject({
			message: expect.stringContaining("a web server"),
			todo: expect.stringContaining("SPILLWAY_PORT="),
		});
	});

	it("is recognized as another Spillway by its readiness response", async () => {
		const port = await listen(http.createServer((_, answer) => answer.end(JSON.stringify({ instance: "x" }))));
		expect(await portHolder(port)).toMatch(/^another Spillway/);
	});

	it("may be held by a program without HTTP", async () => {
		const port = await listen(net.createServer((socket) => socket.end("220 mail\r\n")));
		expect(await portHolder(port)).toMatch(/^another program/);
	});
});

describe("inner ports", () => {
	it("stay the same across starts, and change when taken", async () => {
		const home = mkdtempSync(path.join(os.tmpdir(), "spillway-ports-test-"));
		try {
			const first = await rememberedPorts(home, ["postgres", "aws"]);
			expect(await rememberedPorts(home, ["postgres", "aws"])).toEqual(first);
			await rememberedPorts(home, ["postgres"]);
			expect(await rememberedPorts(home, ["postgres", "aws"])).toEqual(first);
			const server = net.createServer();
			servers.push(server);
			await new Promise((resolve) => server.listen(first.aws, HOST, resolve));
			const moved = await rememberedPorts(home, ["postgres", "aws"]);
			expect(moved.postgres).toBe(first.postgres);
			expect(moved.aws).not.toBe(first.aws);
		} finally {
			rmSync(home, { recursive: true });
		}
	});
});
