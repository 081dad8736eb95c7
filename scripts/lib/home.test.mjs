import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSecrets, prepareHome, takeLock } from "./home.mjs";
import { processIdentity } from "./process-identity.mjs";

let home;
beforeEach(() => {
	home = mkdtempSync(path.join(os.tmpdir(), "spillway-home-test-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("the lock of a home", () => {
	const file = () => path.join(home, "spillway.pid");

	it("is held by one process at a time, and reports the holder to others", () => {
		const first = takeLock(file(), { url: "http://here" });
		expect(first.held).toBe(true);
		const second = takeLock(file());
		expect(second).toMatchObject({ held: false, owner: { pid: process.pid, url: "http://here" } });
		first.release();
		expect(takeLock(file()).held).toBe(true);
	});

	it("passes on from a killed owner, with the facts it left", async () => {
		const child = spawn("sleep", ["60"]);
		const owner = { pid: child.pid, identity: processIdentity(child.pid), instance: "old" };
		writeFileSync(file(), JSON.stringify(owner));
		expect(takeLock(file()).held).toBe(false);
		const gone = new Promise((resolve) => child.once("exit", resolve));
		child.kill("SIGKILL");
		await gone;
		expect(takeLock(file())).toMatchObject({ held: true, stale: { instance: "old" } });
		expect(readdirSync(home)).toEqual(["spillway.pid"]);
	});

	it("is not fooled by another process with the same id", () => {
		writeFileSync(file(), JSON.stringify({ pid: process.pid, identity: "another boot:1" }));
		expect(takeLock(file()).held).toBe(true);
	});

	it("is taken over when its file is damaged", () => {
		writeFileSync(file(), "{half");
		expect(takeLock(file()).held).toBe(true);
	});

	it("is released only by its owner", () => {
		const lock = takeLock(file());
		writeFileSync(file(), JSON.stringify({ pid: 1, identity: "someone else" }));
		lock.release();
		expect(readdirSync(home)).toEqual(["spillway.pid"]);
	});
});

describe("secrets", () => {
	it("are created once, differ from each other and are readable only by their owner", () => {
		const secrets = loadSecrets(home);
		expect(new Set(Object.values(secrets)).size).toBe(3);
		expect(loadSecrets(home)).toEqual(secrets);
		expect(statSync(path.join(home, "secrets.json")).mode & 0o777).toBe(0o600);
	});

	it("are not silently recreated when damaged", () => {
		writeFileSync(path.join(home, "secrets.json"), "{");
		expect(() => loadSecrets(home)).toThrow(/secrets\.json is damaged/);
		expect(readFileSync(path.join(home, "secrets.json"), "utf8")).toBe("{");
	});
});

describe("preparing a home", () => {
	it("creates it with all folders above", () => {
		prepareHome(path.join(home, "a/b/c"));
		expect(readdirSync(path.join(home, "a/b/c"))).toEqual(["log"]);
	});

	it.each([
		["a file", () => path.join(home, "file"), /there is a file of that name/],
		["below a file", () => path.join(home, "file/home"), /there is a file of that name/],
		["on a file system without folders", () => "/proc/spillway", /does not take new folders|may not write/],
	])("reports that it is %s", (_what, place, message) => {
		writeFileSync(path.join(home, "file"), "");
		expect(() => prepareHome(place())).toThrow(message);
	});
});
