import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { site } from "#server/db/schema/site.ts";
import type { Placement } from "#server/domain/capacity.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { makeRunTimeOf } from "#server/scheduling/run-time.ts";
import { loadPools, loadPriorRuns } from "#server/services/decision/backtest/load-outside.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { commitCheckpoint } from "#server/services/work/checkpoint/store.ts";

const RUNS = 40;

/** The first attempt of a job, in one slot of the pool. */
function attemptOf(jobId: string, createdAt: Date) {
	const placement: Placement = {
		...{ siteId: "home", provider: "local", region: null, zone: null, capacityType: "owned", instanceType: null },
		...{ poolId: "home", accelerator: "A10G-24GB" },
	};
	return { id: `${jobId}/1`, jobId, number: 1, placement, siteId: "home", capacityType: "owned" as const, gpus: 1, slots: [0], createdAt };
}

describe("the speed of a pool at home", () => {
	let world: World;
	beforeAll(async () => {
		world = await World.open({ slots: 4 });
		await world.submit({ name: "train-99", estimate: "1h", max: "9h" });
		const { db } = world.database;
		const [waiting] = await world.jobs();
		if (!waiting) throw new Error("no job waits");
		const { reason: _, ...row } = waiting;
		const runs = Array.from({ length: RUNS }, (_run, i) => {
			// One hour, up to twenty minutes more or less.
			const startedAt = new Date(world.clock.nowMs() + (RUNS / 2 - i) * MINUTE_MS);
			const ended = { startedAt, finishedAt: new Date(world.clock.nowMs() + HOUR_MS), reason: reason("completed", {}) };
			return { id: `job_${i}`, name: `train-${i}`, ended };
		});
		world.clock.advance(HOUR_MS);
		const state = "succeeded" as const;
		await db.insert(job).values(runs.map(({ id, name, ended }) => ({ ...row, ...ended, id, name, state, attempts: 1 })));
		await db.insert(attempt).values(runs.map(({ id, ended }) => ({ ...attemptOf(id, ended.startedAt), ...ended, state })));
	});
	afterAll(() => world.database.drop());

	const say = (speeds: Record<string, number>) => world.database.db.update(site).set({ settings: { speeds } }).where(eq(site.id, "home"));
	/** The median run time that a cycle expects for the waiting job, h of work, and the speed it uses. */
	async function expected(): Promise<{ hours: number; speed: number | undefined }> {
		const { snapshot } = await loadSnapshot(world.ctx, new SnapshotCache());
		const [waiting] = snapshot.pending;
		if (!waiting) throw new Error("no job waits");
		const hours = makeRunTimeOf(snapshot.durations)(waiting.spec).p50Ms / HOUR_MS;
		return { hours, speed: snapshot.pools[0]?.speed };
	}

	it("is 1 and leaves history unchanged when not set", async () => {
		const { hours, speed } = await expected();
		expect(speed).toBeUndefined();
		expect(hours).toBeCloseTo(1, 1);
	});

	it("turns an hour there into two hours of work, also in a backtest", async () => {
		const before = (await expected()).hours;
		await say({ "A10G-24GB": 2 });
		const { hours, speed } = await expected();
		expect(speed).toBe(2);
		// The one-hour estimate is a sample too: the run times next to it are doubled.
		expect(hours / before).toBeCloseTo(2, 2);
		expect((await loadPools(world.database.db)).map((p) => p.speed)).toEqual([2]);
		const prior = await loadPriorRuns(world.database.db, { fromMs: world.clock.nowMs() + 1, toMs: world.clock.nowMs() + 2 });
		expect(Math.min(...prior.map(({ durationMs }) => durationMs))).toBe(2 * (HOUR_MS - (RUNS / 2) * MINUTE_MS));
	});

	it("uses the pool's speed before its accelerator's", async () => {
		await say({ "A10G-24GB": 2, home: 0.5 });
		expect((await expected()).speed).toBe(0.5);
	});

	it("counts a run's saved work as work, but at most the time it took", async () => {
		await say({ home: 2 });
		const [id = ""] = await world.submit({ name: "saves", checkpointEvery: "10m", max: "3h" });
		const startedAt = new Date(world.clock.nowMs());
		await world.database.db.insert(attempt).values({ ...attemptOf(id, startedAt), state: "running", startedAt });
		world.clock.advance(10 * MINUTE_MS);
		const saved = { id: "ckp_a", jobId: id, attemptId: `${id}/1`, files: 1, bytes: 1, atMs: world.clock.nowMs() };
		await commitCheckpoint(world.database.db, "/nonexistent/spillway-test", saved);
		const { snapshot } = await loadSnapshot(world.ctx, new SnapshotCache());
		expect(snapshot.running).toMatchObject([{ jobId: id, speed: 2, savedMs: 20 * MINUTE_MS, completedMs: 0 }]);
		// The job's row has not moved on here: what a job that is pending again is seen with.
		expect(snapshot.pending.find(({ jobId }) => jobId === id)).toMatchObject({
			...{ completedMs: 20 * MINUTE_MS, completedByClockMs: 10 * MINUTE_MS },
		});
	});
});
