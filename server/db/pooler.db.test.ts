// The database behind Debian's pgbouncer in transaction mode: two server connections for many clients.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { becomeLeader } from "#server/control-loop/leadership.ts";
import { type Connection, connect } from "./client.ts";
import { createTestDatabase, type TestDatabase } from "./testing/database.ts";

const PGBOUNCER = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((file) => existsSync(file));
const POOL = 2;

let database: TestDatabase;
let pooled: Connection;
let pooler: ChildProcess;
let folder: string;
let pooledUrl: string;

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	return typeof address === "object" && address ? address.port : 0;
}

async function startPooler(target: URL): Promise<string> {
	const port = await freePort();
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-pgbouncer-"));
	chmodSync(folder, 0o755);
	const server = `host=${target.hostname} port=${target.port} user=${target.username} password=${decodeURIComponent(target.password)}`;
	const config = `[databases]\n* = ${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\ndefault_pool_size = ${POOL}\nmax_client_conn = 200\n`;
	writeFileSync(path.join(folder, "pgbouncer.ini"), config, { mode: 0o644 });
	const command = [PGBOUNCER ?? "", path.join(folder, "pgbouncer.ini")];
	// pgbouncer does not run as root.
	const asOtherUser = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
	const [program = "", ...args] = [...asOtherUser, ...command];
	pooler = spawn(program, args, { stdio: "ignore" });
	const url = new URL(target.href);
	url.port = String(port);
	await vi.waitFor(
		async () => {
			const probe = postgres(url.href, { max: 1, onnotice: () => {}, connect_timeout: 2 });
			await probe`select 1`.finally(() => probe.end());
		},
		{ timeout: 600_000, interval: 100 },
	);
	return url.href;
}

describe.skipIf(PGBOUNCER === undefined)("behind pgbouncer in transaction mode", () => {
	beforeAll(async () => {
		database = await createTestDatabase();
		pooledUrl = await startPooler(new URL(database.url));
		pooled = connect(pooledUrl, { max: 20, directUrl: database.url });
	});
	afterAll(async () => {
		await pooled?.end();
		pooler?.kill("SIGTERM");
		await database?.drop();
		if (folder) rmSync(folder, { recursive: true });
	});

	it("runs more concurrent transactions than the server has connections, each atomically", async () => {
		await pooled.db.execute(sql`insert into setting (key, value) values ('counter', '0')`);
		await Promise.all(
			Array.from({ length: 40 }, () =>
				pooled.db.transaction(async (tx) => {
					await tx.execute(sql`select set_config('spillway.retention', 'on', true)`);
					await tx.execute(sql`select pg_advisory_xact_lock(99)`);
					const [row] = await tx.execute<{ n: number }>(sql`select (value::text)::int as n from setting where key = 'counter'`);
					await tx.execute(sql`update setting set value = to_jsonb(${(row?.n ?? 0) + 1}::int) where key = 'counter'`);
				}),
			),
		);
		const rows = await pooled.db.execute<{ n: number }>(sql`select (value::text)::int as n from setting where key = 'counter'`);
		expect(rows[0]?.n).toBe(40);
		const [backends] = await database.sql<{ n: number }[]>`
			select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'spillway' and pid <> pg_backend_pid()`;
		expect(backends?.n).toBeLessThanOrEqual(POOL + 4);
		// A setting of a transaction does not stay on the shared connection.
		const left = await pooled.db.execute<{ value: string | null }>(sql`select current_setting('spillway.retention', true) as value`);
		expect(left[0]?.value ?? "").toBe("");
	});

	it("ends the session of a transaction that sends nothing, at every isolation level, and releases its locks", async () => {
		const limited = connect(pooledUrl, { max: 1, directUrl: database.url, idleTransactionMaxMs: 1_000 });
		try {
			await database.sql`insert into setting (key, value) values ('locked', '1')`;
			for (const isolationLevel of ["read committed", "repeatable read"] as const) {
				// On a busy machine the session may end before the transaction has its lock.
				for (let isLocked = false; !isLocked; ) {
					const silent = limited.db.transaction(
						async (tx) => {
							await tx.execute(sql`update setting set value = '2' where key = 'locked'`);
							isLocked = true;
							// Waits for the lock, which only the end of the other session releases.
							await database.sql`update setting set value = '3' where key = 'locked'`;
							await tx.execute(sql`select 1`);
						},
						{ isolationLevel },
					);
					await expect(silent).rejects.toThrow();
				}
				// The pooler closes the old connection first.
				const read = () => limited.db.execute<{ value: number }>(sql`select value from setting where key = 'locked'`);
				const [row] = await vi.waitFor(read, { timeout: 600_000, interval: 100 });
				expect(row?.value).toBe(3);
			}
		} finally {
			await limited.end();
		}
	});

	it("repeats the same query with different values on different connections", async () => {
		const answers = await Promise.all(
			Array.from({ length: 60 }, async (_, i) => (await pooled.db.execute<{ n: number }>(sql`select ${i}::int as n`))[0]?.n),
		);
		expect(answers).toEqual(Array.from({ length: 60 }, (_, i) => i));
	});

	it("receives every result of consecutive statements on one connection", async () => {
		const few = connect(pooledUrl, { max: 3, directUrl: database.url });
		try {
			for (let round = 0; round < 40; round++) {
				const answers = Array.from({ length: 8 }, (_, i) => [
					few.db.execute<{ n: number }>(sql`select count(*)::int as n from setting where key = 'nothing'`),
					few.db.execute<{ n: number }>(sql`select ${i}::int as n`),
					few.db.transaction((tx) => tx.execute<{ n: number }>(sql`select ${i + 100}::int as n`)),
				]);
				const read = (await Promise.all(answers.flat())).map(([row]) => row?.n);
				expect(read).toEqual(Array.from({ length: 8 }, (_, i) => [0, i, i + 100]).flat());
			}
		} finally {
			await few.end();
		}
	});

	it("receives notifications sent through the pooler", async () => {
		let hear = (_: string): void => {};
		const heard = new Promise<string>((resolve) => {
			hear = resolve;
		});
		const listening = await pooled.sql.listen("pooler_test", (payload) => hear(payload));
		await pooled.db.execute(sql`select pg_notify('pooler_test', 'hello')`);
		expect(await heard).toBe("hello");
		await listening.unlisten();
	});

	it("has one leader at a time", async () => {
		const signal = new AbortController();
		const first = await becomeLeader(pooled.single(), { retryMs: 10, signal: signal.signal });
		expect(await first?.stillHeld()).toBe(true);
		const waiting = becomeLeader(pooled.single(), { retryMs: 10, signal: signal.signal });
		await first?.resign();
		const second = await waiting;
		expect(await second?.stillHeld()).toBe(true);
		await second?.resign();
	});
});
