import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { retentionSchema } from "#server/domain/retention.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { addJob, addMachine, type Books, openBooks, T0 } from "#server/services/ledger/charge/testing/books.ts";
import { moveLogs } from "#server/services/work/log/move.ts";
import { folderLogStore, type LogStore } from "#server/services/work/log/store.ts";
import { applyRetention } from "./apply.ts";

let books: Books;
let folder: string;
let logs: LogStore;
beforeEach(async () => {
	books = await openBooks();
	folder = await mkdtemp(path.join(tmpdir(), "spillway-retention-"));
	logs = folderLogStore(folder);
});
afterEach(async () => {
	await books.database.drop();
	await rm(folder, { recursive: true, force: true });
});

const NOW = T0 + 400 * DAY_MS;
const clock = { nowMs: () => NOW };
const daysAgo = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();
const sql = () => books.database.sql;
const count = async (table: string): Promise<number> =>
	(await sql().unsafe<{ n: number }[]>(`select count(*)::int as n from ${table}`))[0]?.n ?? -1;
const apply = (limits: unknown) => applyRetention({ db: books.db, clock, logs }, retentionSchema.parse(limits));

async function addEvents(days: number, rows = 1): Promise<void> {
	await sql()`insert into event (at, kind, reason) select ${daysAgo(days)}::timestamptz, 'sweep_done', to_jsonb(repeat('x', 1000))
		from generate_series(1, ${rows}::int)`;
}

async function addDecision(id: string, days: number, attempt: number | null): Promise<void> {
	const jobId = await addJob(books, { team: "risk" });
	await sql()`insert into decision (id, job_id, decided_at, attempt_number, policy_name, policy_version, explanation)
		values (${id}, ${jobId}, ${daysAgo(days)}::timestamptz, ${attempt}, 'default', 1, '{}')`;
}

describe("retention by age", () => {
	it("deletes old events, explanations of jobs that stayed, and metrics, and keeps newer ones", async () => {
		await addEvents(40, 3);
		await addEvents(5);
		await addDecision("dec_old", 40, null);
		await addDecision("dec_new", 5, null);
		const { instanceId } = await addMachine(books);
		await sql()`insert into gpu_minute (instance_id, minute, gpus, utilisation_permille)
			values (${instanceId}, ${daysAgo(40)}::timestamptz, 1, 500), (${instanceId}, ${daysAgo(5)}::timestamptz, 1, 500)`;
		const limits = { days: 30 };
		const deleted = await apply({ events: limits, explanations: limits, metrics: limits });
		expect(deleted).toEqual({ logs: 0, events: 3, explanations: 1, metrics: 1 });
		expect([await count("event"), await count("gpu_minute")]).toEqual([1, 1]);
		expect(await sql()`select id from decision`).toEqual([{ id: "dec_new" }]);
	});

	it("keeps the decision that placed a job, charges and audit, whatever their age", async () => {
		await addDecision("dec_placed", 399, 1);
		const charges = await count("charge");
		await sql()`insert into audit (at, actor, action, subject) values (${daysAgo(399)}::timestamptz, 'system:seed', 'x', 'y')`;
		await apply({ events: { days: 1 }, explanations: { days: 1 }, logs: { days: 1 }, metrics: { days: 1 } });
		expect(await sql()`select id from decision`).toEqual([{ id: "dec_placed" }]);
		expect([await count("charge"), await count("audit")]).toEqual([charges, 1]);
		await expect(sql()`delete from decision`).rejects.toThrow(/insert-only/);
		await expect(
			sql().begin(async (tx) => {
				await tx`select set_config('spillway.retention', 'on', true)`;
				await tx`delete from decision`;
			}),
		).rejects.toThrow(/insert-only/);
	});

	it("deletes complete logs of ended attempts, never of a running one", async () => {
		const ended = await addMachine(books);
		const running = await addMachine(books);
		for (const { attemptId } of [ended, running])
			await sql()`insert into job_log (attempt_id, number, at, stream, text)
				select ${attemptId}, n, ${daysAgo(100)}::timestamptz, 'stdout', 'line' from generate_series(1, 20) n`;
		await sql()`update attempt set state = 'cancelled', reason = '{}', finished_at = ${daysAgo(95)}::timestamptz where id = ${ended.attemptId}`;
		expect((await apply({ logs: { days: 90 } })).logs).toBe(20);
		expect(await sql()`select distinct attempt_id from job_log`).toEqual([{ attempt_id: running.attemptId }]);
	});
});

async function endedWithLines(days: number, lines: number): Promise<string> {
	const { attemptId } = await addMachine(books);
	await sql()`insert into job_log (attempt_id, number, at, stream, text)
		select ${attemptId}, n, ${daysAgo(days)}::timestamptz, 'stdout', md5(n::text) from generate_series(1, ${lines}::int) n`;
	await sql()`update attempt set state = 'cancelled', reason = '{}', log_lines = ${lines}, finished_at = ${daysAgo(days)}::timestamptz where id = ${attemptId}`;
	return attemptId;
}

describe("retention of the log store", () => {
	it("deletes old segments with their files, by age and then by size", async () => {
		const old = await endedWithLines(95, 20);
		const middle = await endedWithLines(50, 3_000);
		const latest = await endedWithLines(40, 3_000);
		expect(await moveLogs({ db: books.db, clock, logs })).toEqual({ segments: 3, lines: 6_020 });
		expect(await count("job_log")).toBe(0);
		expect((await readdir(folder)).sort()).toEqual([old, middle, latest].sort());
		expect((await apply({ logs: { days: 90 } })).logs).toBe(20);
		expect((await readdir(folder)).sort()).toEqual([middle, latest].sort());
		const [stored] = await sql()<{ bytes: number }[]>`select sum(bytes)::int as bytes from log_segment`;
		expect((await apply({ logs: { maxGiB: ((stored?.bytes ?? 0) * 0.9) / 2 ** 30 } })).logs).toBe(3_000);
		expect(await readdir(folder)).toEqual([latest]);
		expect(await sql()`select distinct attempt_id from log_segment`).toEqual([{ attempt_id: latest }]);
	});
});

describe("retention by size", () => {
	it("deletes the oldest until the rest fits", async () => {
		await addEvents(3, 500);
		await addEvents(2, 500);
		await sql()`analyze event`;
		const [size] = await sql()<{ bytes: number }[]>`select avg(pg_column_size(e.*))::float8 as bytes from event e`;
		const deleted = await apply({ events: { maxGiB: ((size?.bytes ?? 0) * 600.5) / 2 ** 30 } });
		expect(deleted.events).toBe(400);
		const left = await sql()`select at, count(*)::int as n from event group by at order by at`;
		expect(left.map((row) => row["n"])).toEqual([100, 500]);
	});
});

describe("the limits", () => {
	it.each([{ logs: { days: 0 } }, { logs: { maxGiB: 0 } }, { charges: { days: 1 } }])("reject %o", (limits) => {
		expect(retentionSchema.safeParse(limits).success).toBe(false);
	});
});
