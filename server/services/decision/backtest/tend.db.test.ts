import { asc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { team } from "#server/db/schema/account.ts";
import { audit } from "#server/db/schema/audit.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import { policyPublication } from "#server/db/schema/policy.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { Policy } from "#server/domain/policy.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { submitJob } from "#server/services/work/job/submit-one.ts";
import { replayHalf } from "#server/simulation/backtest/replay-half.ts";
import { aSpec } from "#server/simulation/backtest/testing/small.ts";
import type { Term } from "../background/table.ts";
import { BackgroundTender, type BackgroundWorker, SILENT_MS } from "../background/tend.ts";
import { cancelBacktest } from "./cancel.ts";
import { getBacktest } from "./get.ts";
import { AUTOMATIC_KEPT } from "./replace.ts";
import { KEPT_MS, SampleMemory } from "./sample-memory.ts";
import { findSampleSpan, WHOLE_JOBS_MAX } from "./sample-span.ts";
import { startBacktest } from "./start.ts";
import { type WorkContext, workOnBacktest } from "./work.ts";

const START_MS = Date.UTC(2026, 10, 2, 8);
const SOURCE = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - id: burst-on-wait
      burst: { after: { forecastWait: 10s } }
`;

let database: TestDatabase;
const clock = new ManualClock(START_MS);
const ctx = () => systemContext(database.db, clock, "seed");

beforeAll(async () => {
	database = await createTestDatabase();
	await publishPolicy(ctx(), { name: "default", message: "test", source: SOURCE });
});
afterAll(() => database.drop());
beforeEach(async () => {
	await database.db.delete(backtest);
});

/** Workers that do nothing until the test ends them. */
function hands() {
	const begun: { term: Term; stopped: boolean; end: (failure: string | null) => void }[] = [];
	const spawn = (term: Term): BackgroundWorker => {
		const worker = { term, stopped: false, end: (_: string | null): void => {} };
		begun.push(worker);
		const ended = new Promise<{ failure: string | null }>((resolve) => {
			worker.end = (failure) => resolve({ failure });
		});
		const stop = (): void => {
			worker.stopped = true;
		};
		return { stop, ended };
	};
	return { begun, tender: new BackgroundTender({ kind: "backtest", db: database.db, clock, spawn }) };
}

function workContext(replay?: WorkContext["replay"]): WorkContext {
	const now = async (history: Parameters<typeof replayHalf>[0], policy: Policy) => replayHalf(history, policy);
	return { db: database.db, clock, timing: timingSchema.parse({}), replay: replay ?? now, samples: new SampleMemory(), logError: () => {} };
}

const start = async () => (await startBacktest(ctx(), { source: SOURCE, days: 7 })).id;
const stateOf = async (id: string) => (await getBacktest(ctx(), id)).state;

describe("the leader", () => {
	it("starts one at a time, the oldest first, and the next when it is done", async () => {
		const { begun, tender } = hands();
		const first = await start();
		clock.advance(1_000);
		const second = await start();
		await tender.tend();
		await tender.tend();
		expect(begun.map(({ term }) => term.id)).toEqual([first]);
		const term = begun[0]?.term ?? { id: "", startedAtMs: 0 };
		expect(await workOnBacktest(workContext(), term)).toBe("done");
		await tender.tend();
		expect(begun.map(({ term: t }) => t.id)).toEqual([first, second]);
		const done = await getBacktest(ctx(), first);
		expect([done.state, done.progressPermille, done.error]).toEqual(["done", 1000, null]);
		expect(done.result?.moved).toEqual([]);
		expect(done.result?.gaps[0]).toBe("No job was recorded in this time.");
		expect([done.from, done.to]).toEqual([new Date(START_MS - 7 * DAY_MS).toISOString(), new Date(START_MS).toISOString()]);
	});

	it("restarts a backtest with a silent worker, and rejects the old worker's result", async () => {
		const { begun, tender } = hands();
		const id = await start();
		await tender.tend();
		clock.advance(SILENT_MS + 1);
		await tender.tend();
		expect(begun.map(({ term, stopped }) => [term.id, stopped])).toEqual([
			[id, true],
			[id, false],
		]);
		const [old, fresh] = begun.map(({ term }) => term);
		expect(await workOnBacktest(workContext(), old ?? { id, startedAtMs: 0 })).toBe("given_up");
		expect(await stateOf(id)).toBe("running");
		expect(await workOnBacktest(workContext(), fresh ?? { id, startedAtMs: 0 })).toBe("done");
	});

	it("takes over jobs that another leader left running", async () => {
		const id = await start();
		await hands().tender.tend();
		clock.advance(SILENT_MS + 1);
		const next = hands();
		await next.tender.tend();
		expect(next.begun.map(({ term }) => term.id)).toEqual([id]);
	});

	it("gives up on a backtest with repeatedly silent workers", async () => {
		const { tender } = hands();
		const id = await start();
		for (let i = 0; i < 4; i++) {
			await tender.tend();
			clock.advance(SILENT_MS + 1);
		}
		const row = await getBacktest(ctx(), id);
		expect([row.state, row.error]).toEqual(["failed", "Its worker fell silent 3 times."]);
	});

	it("records why a worker failed", async () => {
		const { begun, tender } = hands();
		const id = await start();
		await tender.tend();
		begun[0]?.end("Its worker ended with exit code 1. Out of memory");
		await expect.poll(() => stateOf(id)).toBe("failed");
		expect((await getBacktest(ctx(), id)).error).toContain("Out of memory");
	});

	it("ends the worker of a cancelled job", async () => {
		const { begun, tender } = hands();
		const id = await start();
		await tender.tend();
		await cancelBacktest(ctx(), id);
		await tender.tend();
		expect(begun.map(({ stopped }) => stopped)).toEqual([true]);
		expect(await stateOf(id)).toBe("cancelled");
	});
});

describe("a worker", () => {
	it("stops when cancelled during the replay, and writes nothing", async () => {
		const { begun, tender } = hands();
		const id = await start();
		await tender.tend();
		const replay: WorkContext["replay"] = (_, __, { signal }) =>
			new Promise((___, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
		const work = workOnBacktest(workContext(replay), begun[0]?.term ?? { id, startedAtMs: 0 });
		await cancelBacktest(ctx(), id);
		expect(await work).toBe("given_up");
		expect(await stateOf(id)).toBe("cancelled");
	});

	it("records an error once, and frees the other replay", async () => {
		const { begun, tender } = hands();
		const id = await start();
		await tender.tend();
		let calls = 0;
		const replay: WorkContext["replay"] = (_, __, { signal }) =>
			calls++ === 0
				? Promise.reject(new Error("pool owned has 64 GPUs a node; 30 at most"))
				: new Promise((___, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
		expect(await workOnBacktest(workContext(replay), begun[0]?.term ?? { id, startedAtMs: 0 })).toBe("failed");
		expect((await getBacktest(ctx(), id)).error).toBe("pool owned has 64 GPUs a node; 30 at most");
	});
});

describe("a request", () => {
	it("is rejected for a draft with an error, with its position, when too many wait, and when cancelled twice", async () => {
		await expect(startBacktest(ctx(), { source: SOURCE.replace("forecastWait: 10s", "forecastWait: 10"), days: 7 })).rejects.toMatchObject({
			code: "invalid_input",
			fields: [expect.objectContaining({ path: "source", line: 7 })],
		});
		await expect(startBacktest(ctx(), { source: SOURCE, days: 14 as 7 })).rejects.toThrow(/must be one of 7, 30, 90/);
		for (let i = 0; i < 10; i++) await start();
		const [row] = await database.db.select().from(backtest).limit(1);
		await expect(start()).rejects.toMatchObject({ code: "conflict" });
		await cancelBacktest(ctx(), row?.id ?? "");
		await expect(cancelBacktest(ctx(), row?.id ?? "")).rejects.toMatchObject({ code: "conflict" });
		await expect(cancelBacktest(ctx(), "btst_none")).rejects.toMatchObject({ code: "not_found" });
	});

	it("ends permanently after half an hour of silence", async () => {
		const id = await start();
		await database.db
			.update(backtest)
			.set({ state: "running", startedAt: new Date(clock.nowMs()), heartbeatAt: new Date(clock.nowMs()) })
			.where(eq(backtest.id, id));
		clock.advance(31 * MINUTE_MS);
		await hands().tender.tend();
		expect(await stateOf(id)).toBe("failed");
	});
});

describe("an editor that starts a backtest after each edit", () => {
	const edit = async (source = SOURCE) => (await startBacktest(ctx(), { source, days: 7, replace: true })).id;

	it("cancels the person's running one, leaves those of others, and writes no audit entries", async () => {
		const { begun, tender } = hands();
		const other = (await startBacktest(systemContext(database.db, clock, "control_loop"), { source: SOURCE, days: 7 })).id;
		clock.advance(1_000);
		const before = await database.db.$count(audit);
		const first = await edit();
		await tender.tend();
		const second = await edit();
		expect(await Promise.all([other, first, second].map(stateOf))).toEqual(["running", "cancelled", "queued"]);
		expect(begun.map(({ term }) => term.id)).toEqual([other]);
		expect(await database.db.$count(audit)).toBe(before);
		expect((await getBacktest(ctx(), second)).automatic).toBe(true);
	});

	it("keeps the newest, those that were published with, and those that the person started", async () => {
		const mine = await start();
		const seen = await edit();
		await database.db.insert(policyPublication).values({
			...{ id: "pub_seen", name: "default", version: 1, kind: "publish", publishedBy: "account:usr_1", backtestId: seen },
			publishedAt: new Date(clock.nowMs()),
		});
		const old: string[] = [];
		for (let i = 0; i < AUTOMATIC_KEPT + 2; i++) {
			clock.advance(1_000);
			old.push(await edit());
		}
		const rows = await database.db.select({ id: backtest.id }).from(backtest).orderBy(asc(backtest.createdAt), asc(backtest.id));
		// The last start deletes before it adds its own.
		expect(rows.map(({ id }) => id).sort()).toEqual([mine, seen, ...old.slice(1)].sort());
	});
});

describe("the sample of a long history", () => {
	it("is the latest part of it, and its estimate is written before the result", async () => {
		await database.db.insert(team).values({ name: "vision" });
		await submitJob(ctx(), aSpec());
		clock.advance(1_000);
		const span = { fromMs: clock.nowMs() - 7 * DAY_MS, toMs: clock.nowMs() };
		expect(await findSampleSpan(database.db, span)).toBeNull();
		// One every three minutes, the newest first: 120 in each of the parts of six hours. All were cancelled, so the replay is short.
		const from = new Date(span.toMs).toISOString();
		await database.db.execute(sql`
			insert into job select (jsonb_populate_record(job, jsonb_build_object('id', 'job_s' || n, 'state', 'cancelled',
				'submitted_at', ${from}::timestamptz - n * interval '3 minutes',
				'finished_at', ${from}::timestamptz - n * interval '3 minutes' + interval '1 second'))).*
			from job, generate_series(1, ${WHOLE_JOBS_MAX}::int) n`);
		// A quarter of them is less than a sample's minimum of 200.
		expect(await findSampleSpan(database.db, span)).toEqual({ fromMs: span.toMs - 6 * HOUR_MS, ofJobs: WHOLE_JOBS_MAX + 1 });

		const { begun, tender } = hands();
		const id = await start();
		await tender.tend();
		let early: unknown;
		const replay: WorkContext["replay"] = async (history, policy) => {
			early ??= (await getBacktest(ctx(), id)).estimate;
			return replayHalf(history, policy);
		};
		expect(await workOnBacktest(workContext(replay), begun[0]?.term ?? { id, startedAtMs: 0 })).toBe("done");
		expect(early).toMatchObject({ fromMs: span.toMs - 6 * HOUR_MS, ofJobs: WHOLE_JOBS_MAX + 1 });
		const done = await getBacktest(ctx(), id);
		expect([done.estimate, done.result?.replayedJobs]).toEqual([early, WHOLE_JOBS_MAX + 1]);
	});

	it("is kept for the next edits of a worker, until its policy, period or age changes", async () => {
		const context = workContext();
		const { policy } = parseStoredPolicy(SOURCE);
		if (!policy) throw new Error("the policy of this test has an error");
		const request = () => {
			const toMs = clock.nowMs();
			const timing = context.timing;
			return { policyName: "default", version: 1, fromMs: toMs - 7 * DAY_MS, toMs, policies: [policy], published: policy, timing };
		};
		const first = await context.samples.load(context, request());
		expect(first?.ofJobs).toBe(WHOLE_JOBS_MAX + 1);
		clock.advance(KEPT_MS);
		expect(await context.samples.load(context, request())).toBe(first);
		clock.advance(1);
		const second = await context.samples.load(context, request());
		expect(second).not.toBe(first);
		const other = await context.samples.load(context, { ...request(), version: 2 });
		expect(other).not.toBe(second);
		const longer = { ...request(), version: 2, fromMs: clock.nowMs() - 8 * DAY_MS };
		expect(await context.samples.load(context, longer)).not.toBe(other);
	});
});
