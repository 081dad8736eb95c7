import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SpillwayError } from "#server/kernel/errors.ts";
import { secretStore } from "./store.ts";

let folder: string;
let server: Server;
let address: string;
let answer: (res: ServerResponse) => void;
let asked: { url: string | undefined; headers: IncomingHttpHeaders }[];

beforeAll(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), "spillway-secrets-"));
	server = createServer((req, res) => {
		asked.push({ url: req.url, headers: req.headers });
		answer(res);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(async () => {
	asked = [];
	answer = (res) => json(res, 200, { data: { data: { token: "hf_abc" } } });
	await writeFile(path.join(folder, "vault-token"), "s.first\n");
});
afterAll(async () => {
	server.close();
	await rm(folder, { recursive: true, force: true });
});

function json(res: ServerResponse, status: number, body: unknown): void {
	res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const problemOf = (read: Promise<unknown>) =>
	read.then(
		() => null,
		(error: unknown) => (error instanceof SpillwayError ? `${error.code}: ${error.message}` : error),
	);

describe("a Vault", () => {
	const source = { kind: "vault", path: "hub/a b", key: "token" } as const;
	const open = (changes: object = {}) =>
		secretStore({
			SPILLWAY_HOME: folder,
			SPILLWAY_VAULT: { address, mount: "secret", path: "spillway/{team}", tokenFile: path.join(folder, "vault-token"), ...changes },
		});

	it("is queried below the team's path, with the token and the namespace", async () => {
		expect(await open({ namespace: "ml" }).read("vision", source)).toBe("hf_abc");
		expect(asked).toMatchObject([
			{ url: "/v1/secret/data/spillway/vision/hub/a%20b", headers: { "x-vault-token": "s.first", "x-vault-namespace": "ml" } },
		]);
	});

	it("keeps the path of its address, and reads a renewed token at each use", async () => {
		const store = open({ address: `${address}/vault` });
		await store.read("vision", source);
		await writeFile(path.join(folder, "vault-token"), "s.second");
		await store.read("vision", source);
		expect(asked.map(({ headers }) => headers["x-vault-token"])).toEqual(["s.first", "s.second"]);
		expect(asked[0]?.url).toMatch(/^\/vault\/v1\/secret\//);
		expect(asked[0]?.headers).not.toHaveProperty("x-vault-namespace");
	});

	it.each([
		[404, {}, "precondition_failed", "does not exist"],
		[403, {}, "precondition_failed", "may not be read with Spillway's token"],
		[503, { sealed: true }, "unavailable", "HTTP 503"],
		[200, { data: { token: "version 1" } }, "precondition_failed", "is not in a KV engine of version 2"],
		[200, { data: { data: { token: 7 } } }, "precondition_failed", 'has no text under the key "token"'],
		[200, { data: { data: { other: "x" } } }, "precondition_failed", 'has no text under the key "token"'],
	])("answering %i %j: %s", async (status, body, code, message) => {
		answer = (res) => json(res, status, body);
		const problem = await problemOf(open().read("vision", source));
		expect(problem).toMatch(new RegExp(`^${code}: `));
		expect(problem).toContain(message);
	});

	it("does not receive the token on a redirect, and may answer with something other than JSON", async () => {
		answer = (res) => res.writeHead(307, { location: `${address}/elsewhere` }).end();
		expect(await problemOf(open().read("vision", source))).toMatch(/^unavailable: /);
		expect(asked).toHaveLength(1);
		answer = (res) => res.end("<html>");
		expect(await problemOf(open().read("vision", source))).toMatch(/^precondition_failed: /);
	});

	it("may be missing, hang up, or lack its token file", async () => {
		expect(await problemOf(secretStore({ SPILLWAY_HOME: folder }).read("vision", source))).toMatch(/not connected to a Vault/);
		expect(await problemOf(open({ tokenFile: path.join(folder, "nowhere") }).read("vision", source))).toMatch(
			/token file .* could not be read/,
		);
		expect(asked).toEqual([]);
		answer = (res) => res.destroy();
		expect(await problemOf(open().read("vision", source))).toMatch(/^unavailable: .*did not answer/);
	});
});

describe("secret files", () => {
	const read = (relative: string, team = "vision") =>
		secretStore({ SPILLWAY_HOME: folder, SPILLWAY_SECRET_FILES: path.join(folder, "files") }).read(team, { kind: "file", path: relative });
	const write = (name: string, text: string) => writeFile(path.join(folder, "files", "vision", name), text);
	beforeAll(() => mkdir(path.join(folder, "files", "vision", "folder"), { recursive: true }));

	it("lose only one trailing line break", async () => {
		for (const [text, value] of [
			["plain", "plain"],
			["unix\n", "unix"],
			["dos\r\n", "dos"],
			["two\n\n", "two\n"],
			[" a\nb ", " a\nb "],
		] as const) {
			await write("value", text);
			expect(await read("value")).toBe(value);
		}
	});

	it("must exist for the team, be regular and have at most 128 KiB", async () => {
		await write("value", "x");
		await write("large", "x".repeat(128 * 1024));
		expect(await read("large")).toHaveLength(128 * 1024);
		await write("large", "x".repeat(128 * 1024 + 1));
		expect(await problemOf(read("large"))).toMatch(/^precondition_failed: .*larger than 131072 bytes/);
		expect(await problemOf(read("folder"))).toMatch(/it is no regular file/);
		expect(await problemOf(read("missing"))).toMatch(/ENOENT/);
		expect(await problemOf(read("value", "research"))).toMatch(/ENOENT/);
		expect(await problemOf(secretStore({ SPILLWAY_HOME: folder }).read("vision", { kind: "file", path: "value" }))).toMatch(/no folder/);
	});
});
