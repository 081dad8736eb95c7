import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import postgresClient from "postgres";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { freePort } from "./ports.mjs";
import { startPostgres } from "./postgres.mjs";

let base;
beforeAll(() => {
	base = mkdtempSync(path.join(os.tmpdir(), "spillway-postgres-test-"));
	chmodSync(base, 0o711);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function ask(url, query) {
	const sql = postgresClient(url, { max: 1, onnotice: () => undefined });
	try {
		return await sql.unsafe(query);
	} finally {
		await sql.end();
	}
}

async function start(dir, password = "p@ss word") {
	const server = await startPostgres({ dir: path.join(base, dir), port: await freePort(), password });
	onTestFinished(() => server.stop("immediate"));
	return server;
}

describe("PostgreSQL from npm", () => {
	it("listens on loopback with a password, and keeps data committed before it was killed", async () => {
		const first = await start("kept");
		await ask(first.url, "create table kept (n int); insert into kept values (42)");
		expect(await ask(first.url, "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
		expect(await ask(first.url, "show fsync")).toEqual([{ fsync: "on" }]);
		await expect(ask(first.url.replace(/:[^:@]+@/, ":wrong@"), "select 1")).rejects.toThrow(/password authentication failed/);
		process.kill(Number.parseInt(readFileSync(path.join(first.dataDir, "postmaster.pid"), "utf8"), 10), "SIGKILL");
		const second = await start("kept");
		expect(await ask(second.url, "select n from kept")).toEqual([{ n: 42 }]);
	});

	it("is restarted after a kill, until it is stopped", async () => {
		const said = [];
		const dir = path.join(base, "watched");
		const server = await startPostgres({ dir, port: await freePort(), password: "x", say: (line) => said.push(line) });
		await ask(server.url, "create table kept (n int); insert into kept values (42)");
		const pid = () => Number.parseInt(readFileSync(path.join(server.dataDir, "postmaster.pid"), "utf8"), 10);
		const killed = pid();
		process.kill(killed, "SIGKILL");
		await vi.waitUntil(() => said.includes("PostgreSQL runs again."), { timeout: 600_000, interval: 50 });
		expect(said[0]).toContain("PostgreSQL ended by itself; it starts again.");
		expect(pid()).not.toBe(killed);
		expect(await ask(server.url, "select n from kept")).toEqual([{ n: 42 }]);
		await server.stop();
		expect(existsSync(path.join(server.dataDir, "postmaster.pid"))).toBe(false);
	});

	it("adopts the running server of a killed run, and stops permanently", async () => {
		const first = await start("taken-over");
		const second = await start("taken-over");
		await expect(ask(first.url, "select 1")).rejects.toThrow(/ECONNREFUSED/);
		expect(await ask(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
		await second.stop();
		expect(existsSync(path.join(second.dataDir, "postmaster.pid"))).toBe(false);
	});

	it("starts even if its pid file contains the id of another live process", async () => {
		const first = await start("stale");
		await first.stop();
		writeFileSync(path.join(first.dataDir, "postmaster.pid"), `${process.pid}\n`);
		const second = await start("stale");
		expect(await ask(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
	});

	it.runIf(process.getuid?.() === 0)("uses another folder when its user cannot enter the given one", async () => {
		const closed = mkdtempSync(path.join(base, "closed-"));
		const dir = path.join(closed, "home");
		const server = await startPostgres({ dir, port: await freePort(), password: "x" });
		const outside = path.dirname(path.dirname(server.dataDir));
		onTestFinished(async () => {
			await server.stop("immediate");
			rmSync(outside, { recursive: true });
		});
		expect(server.notes.join()).toContain(`cannot enter ${dir}; its database is in ${outside}`);
		expect(await ask(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
	});
});
