// `spillway backup` and `restore` on the database of `npm start`, without DATABASE_URL.
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { homeFolder, loadSecrets, prepareHome, takeLock } from "./lib/home.mjs";
import { projectNode, root } from "./lib/node.mjs";
import { rememberedPorts } from "./lib/ports.mjs";
import { startPostgres } from "./lib/postgres.mjs";

const execute = promisify(execFile);
const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-backup-home-"));
const home = homeFolder({ SPILLWAY_HOME: path.join(folder, "home") });
const target = path.join(folder, "backup");
const { DATABASE_URL: _, ...environment } = process.env;
/** With a mode of `npm start`, as in a shell that started the demo. */
const env = { ...environment, SPILLWAY_HOME: home, SPILLWAY_DEMO: "quiet" };
const spillway = (...args) => execute(projectNode(), [path.join(root, "cli/spillway.mjs"), ...args], { env, cwd: folder });

let password;
let ports;
/** Runs with the database started, as under `npm start`. */
async function withDatabase(work) {
	const lock = takeLock(path.join(home, "spillway.pid"), { url: "a test" });
	const server = await startPostgres({ dir: path.join(home, "postgres"), port: ports.postgres, password });
	const sql = postgres(server.url, { max: 1, onnotice: () => {} });
	try {
		return await work(sql, server.url);
	} finally {
		await sql.end();
		await server.stop();
		lock.release();
	}
}
const teams = () => withDatabase(async (sql) => (await sql`select name from team order by name`).map((row) => row.name));

beforeAll(async () => {
	// Under root, PostgreSQL runs as another user, which needs access to the folder.
	mkdirSync(home, { recursive: true, mode: 0o711 });
	prepareHome(home);
	password = loadSecrets(home).postgresPassword;
	ports = await rememberedPorts(home, ["postgres"]);
	await withDatabase(async (sql, url) => {
		await execute(projectNode(), [path.join(root, "server/bin/migrate.ts")], { env: { ...env, DATABASE_URL: url } });
		await sql`insert into team (name) values ('before')`;
	});
	mkdirSync(path.join(home, "checkpoints", "job_1"), { recursive: true });
	writeFileSync(path.join(home, "checkpoints", "job_1", "state"), "step 7");
	mkdirSync(path.join(home, "job-logs", "att_1"), { recursive: true });
	writeFileSync(path.join(home, "job-logs", "att_1", "1.ndjson.gz"), "lines");
	writeFileSync(path.join(home, "job-logs", "att_1", "2.ndjson.gz.draft.new"), "unfinished");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the embedded database", () => {
	it("is backed up while it runs, and restored with its files after changes", async () => {
		const { stdout } = await withDatabase(() => spillway("backup", target));
		expect(stdout).toContain(`to ${target}`);
		await withDatabase((sql) => sql`update team set name = 'after'`);
		for (const name of ["checkpoints", "job-logs"]) rmSync(path.join(home, name), { recursive: true });
		await spillway("restore", target, "--replace");
		expect(await teams()).toEqual(["before"]);
		expect(readFileSync(path.join(home, "checkpoints/job_1/state"), "utf8")).toBe("step 7");
		expect(readdirSync(path.join(home, "job-logs/att_1"))).toEqual(["1.ndjson.gz"]);
	});
	it("is backed up while it does not run, without keys unless they are requested", async () => {
		await spillway("backup", `${target}-2`);
		expect(existsSync(path.join(`${target}-2`, "files/secrets.json"))).toBe(false);
		await spillway("backup", `${target}-3`, "--with-keys", "--database-only");
		expect(existsSync(path.join(`${target}-3`, "files/secrets.json"))).toBe(true);
		expect(existsSync(path.join(`${target}-3`, "files/checkpoints"))).toBe(false);
		expect(existsSync(path.join(`${target}-3`, "files/job-logs"))).toBe(false);
	});
	it("is backed up after a kill of its start, and what that left running is ended", async () => {
		const instance = randomUUID();
		writeFileSync(path.join(home, "spillway.pid"), JSON.stringify({ pid: 2 ** 22 + 1, identity: "ended", instance }));
		const left = spawn("sleep", ["600"], { stdio: "ignore", env: { SPILLWAY_INSTANCE: instance } });
		const ended = once(left, "exit");
		const { stderr } = await spillway("backup", `${target}-4`);
		expect(stderr).toContain("one of its programs was still running and ended now");
		expect(await ended).toEqual([null, "SIGTERM"]);
	});
	it("is not restored while Spillway runs, nor over rows without --replace", async () => {
		await expect(withDatabase(() => spillway("restore", target, "--replace"))).rejects.toThrow("Spillway is running");
		await withDatabase(
			(sql) => sql`insert into account (id, email, name, role, created_at) values ('usr_1', 'a@b.c', 'A', 'platform', now())`,
		);
		await expect(spillway("restore", target)).rejects.toThrow("not empty");
		expect(await teams()).toEqual(["before"]);
	});
	it("shows a pending review, and ends it", async () => {
		expect((await spillway("restore")).stdout).toContain("restoredAt");
		await expect(spillway("restore", "--reviewed")).rejects.toThrow("has not listed the clouds' machines yet");
		await withDatabase((sql) => sql`update setting set value = value || '{"unknown": []}' where key = 'restored'`);
		await spillway("restore", "--reviewed");
		expect((await spillway("restore")).stdout).toContain("has been reviewed");
	});
});
