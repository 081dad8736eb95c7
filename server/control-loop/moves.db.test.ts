import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reason } from "#server/domain/reasons.ts";
import { sampled } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { newInputMemory } from "#server/services/decision/explain/record-input.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { moveJob } from "#server/services/work/job/move.ts";
import { applyPlan } from "./apply-plan.ts";
import type { ProbeStep } from "./context.ts";
import { World } from "./testing/world.ts";

const GO_HOME = "{ id: go-home, move: { to: [home], savingUsd: 0.01 } }";
let world: World | null = null;
let checkpointRoot = "";

beforeEach(async () => {
	checkpointRoot = await mkdtemp(path.join(tmpdir(), "spillway-moves-"));
});
afterEach(async () => {
	await world?.database.drop();
	world = null;
	await rm(checkpointRoot, { recursive: true, force: true });
});

/** One slot at home, occupied for 12 minutes by `home-1`; `burst-1` leaves for the cloud, where it would run for an hour. */
async function openBurst(): Promise<World> {
	world = await World.open({ slots: 1, rules: [GO_HOME], tickMs: MINUTE_MS, runMs: HOUR_MS, checkpointRoot });
	await world.submit({ name: "home-1", estimate: "12m", max: "2h" });
	await world.tick();
	await world.submit({ name: "burst-1", estimate: "50m", max: "2h", checkpointEvery: "4m" });
	return world;
}

const idOf = async (w: World, name: string): Promise<string> => (await w.jobs()).find((j) => j.name === name)?.id ?? "";
const attemptsOf = async (w: World, name: string) => {
	const id = await idOf(w, name);
	return (await w.attempts()).filter((a) => a.jobId === id);
};

/** Invariants that must hold at the end, whatever happened before. */
async function booksAreWhole(w: World): Promise<void> {
	expect(await w.sweep()).toBe(0);
	await meterAll(w.ctx);
	const [open] = await w.database.sql`select count(*)::int as n from hold where state = 'pending'`;
	expect(open?.n).toBe(0);
	const [held] = await w.database.sql`select coalesce(sum(held_micro_usd), 0)::text as n from budget_period`;
	expect(held?.n).toBe("0");
	expect((await ledgerCheck(w.ctx)).differences).toEqual([]);
}

describe("a burst job that returns home", () => {
	it("stops at a checkpoint once a slot is free, and continues from it in the slot reserved for it", async () => {
		const w = await openBurst();
		let mostAlive = 0;
		await w.until(async () => {
			const alive = (await attemptsOf(w, "burst-1")).filter((a) => a.finishedAt === null).length;
			mostAlive = Math.max(mostAlive, alive);
			return w.quiet();
		});
		expect(mostAlive).toBe(1);
		const [cloud, home, ...more] = await attemptsOf(w, "burst-1");
		expect(more).toEqual([]);
		expect([cloud?.state, cloud?.reason?.code, cloud?.siteId]).toEqual(["evicted", "returning_home", "aws"]);
		expect([home?.state, home?.siteId, home?.slots]).toEqual(["succeeded", "home", [0]]);
		expect(cloud?.movingTo).toEqual({ kind: "home", poolId: "home", slots: [0] });
		// It was stopped no earlier than a checkpoint was due, and began at home after its end in the cloud.
		expect(cloud?.stopRequestedAt?.getTime()).toBeGreaterThanOrEqual(cloud?.moveAt?.getTime() ?? Number.NaN);
		expect(home?.createdAt.getTime()).toBeGreaterThanOrEqual(cloud?.finishedAt?.getTime() ?? Number.NaN);
		expect(w.restoredFrom.get(home?.id ?? "")).toContain(await idOf(w, "burst-1"));
		expect((await w.jobs()).map((j) => j.state)).toEqual(["succeeded", "succeeded"]);
		await booksAreWhole(w);
	});

	it("keeps the slot from a job that arrives between the decision and the checkpoint", async () => {
		const w = await openBurst();
		await w.until(async () => (await attemptsOf(w, "burst-1")).some((a) => a.movingTo !== null));
		await w.submit({ name: "late", max: "2h" });
		await w.until(() => w.quiet());
		const [, home] = await attemptsOf(w, "burst-1");
		const [late] = await attemptsOf(w, "late");
		expect(home?.siteId).toBe("home");
		const lateAtHomeMs = late?.siteId === "home" ? late.createdAt.getTime() : Number.POSITIVE_INFINITY;
		expect(home?.createdAt.getTime()).toBeLessThan(lateAtHomeMs);
		await booksAreWhole(w);
	});

	const steps: ProbeStep[] = [
		"move:intent_written",
		"move:begun",
		"home:intent_written",
		"home:handed_over",
		"terminate:marked",
		"terminate:written",
	];
	it.each(sampled(steps, 3))("loses, doubles and leaves nothing when the scheduler dies at %s", async (step) => {
		const w = await openBurst();
		// home-1 already passed the steps of a start at home once.
		w.killAt = { step, pass: step.startsWith("home:") ? 2 : 1 };
		await w.until(() => w.quiet());
		expect(w.deaths).toBe(1);
		const jobs = await w.jobs();
		expect(jobs.map((j) => j.state)).toEqual(["succeeded", "succeeded"]);
		const attempts = await w.attempts();
		for (const j of jobs) expect(attempts.filter((a) => a.jobId === j.id && a.state === "succeeded")).toHaveLength(1);
		expect((await attemptsOf(w, "burst-1")).map((a) => a.siteId)).toEqual(["aws", "home"]);
		const made = w.cloud.instances();
		expect(new Set(made.map((m) => m.instanceId)).size).toBe(made.length);
		await booksAreWhole(w);
	});
});

describe("a move requested by a person", () => {
	it("goes to the cloud and back home, once each, and the books balance", async () => {
		world = await World.open({ slots: 1, rules: [], tickMs: MINUTE_MS, runMs: HOUR_MS, checkpointRoot });
		const w = world;
		const ctx = systemContext(w.database.db, w.clock);
		await w.submit({ name: "one", estimate: "50m", max: "2h", checkpointEvery: "4m" });
		const last = async () => (await attemptsOf(w, "one")).at(-1);
		await w.until(async () => (await last())?.state === "running");
		await moveJob(ctx, await idOf(w, "one"), "cloud");
		await w.until(async () => (await last())?.siteId === "aws" && (await last())?.state === "running");
		await moveJob(ctx, await idOf(w, "one"), "home");
		await w.until(() => w.quiet());
		const attempts = await attemptsOf(w, "one");
		expect(attempts.map((a) => [a.siteId, a.state, a.moveRequest?.to ?? null, a.reason?.code])).toEqual([
			["home", "evicted", "cloud", "moved_by_person"],
			["aws", "evicted", "home", "moved_by_person"],
			["home", "succeeded", null, "completed"],
		]);
		expect(w.restoredFrom.get(attempts[2]?.id ?? "")).toContain(await idOf(w, "one"));
		await booksAreWhole(w);
	});
});

describe("room made for a deadline by a job at home", () => {
	const ROOM = "{ id: room, when: job.hasDeadline, preempt: { classes: [burst] } }";

	/** One slot, held for hours by `low`, which must leave for `urgent`; then `rival` arrives, with a higher rank. */
	async function openRoom(): Promise<World> {
		const w = await World.open({
			slots: 1,
			rules: [ROOM, '{ id: home, when: job.class == "sensitive", deny: { sites: [cloud] } }'],
			tickMs: 5 * SECOND_MS,
			checkpointRoot,
		});
		world = w;
		await w.submit({ name: "low", class: "burst", estimate: "10h", max: "20h", checkpointEvery: "10m" });
		await w.until(async () => (await w.jobs())[0]?.state === "running");
		const deadline = new Date(w.clock.nowMs() + 3 * HOUR_MS).toISOString();
		await w.submit({ name: "urgent", class: "sensitive", estimate: "1h", max: "2h", priority: 0, deadline });
		await w.until(async () => (await evictions(w)).length > 0);
		await w.submit({ name: "rival", class: "sensitive", estimate: "1h", max: "2h", priority: 100 });
		return w;
	}
	const evictions = async (w: World) => (await w.attempts()).filter((a) => a.stopReason?.code === "evicted_for_deadline");
	const roomOf = async (w: World) => {
		const { snapshot } = await loadSnapshot(w.ctx, new SnapshotCache());
		return snapshot.pending.find((p) => p.spec.name === "urgent")?.room ?? null;
	};

	it("is restored from the database, before and after the other job has left, and goes to the job it was made for", async () => {
		const w = await openRoom();
		const rooms = new Set<string>();
		await w.until(async () => {
			if ((await attemptsOf(w, "urgent")).length > 0) return true;
			rooms.add(JSON.stringify(await roomOf(w)));
			return false;
		});
		expect([...rooms]).toEqual([JSON.stringify({ poolId: "home", slots: [0], ruleId: "room" })]);
		expect(await attemptsOf(w, "rival")).toEqual([]);
		expect((await attemptsOf(w, "urgent"))[0]?.slots).toEqual([0]);
		expect((await evictions(w)).length).toBe(1);
	});

	it("stays reserved when the attempt that must leave is cancelled meanwhile", async () => {
		const w = await openRoom();
		await cancelJob(systemContext(w.database.db, w.clock, "seed"), await idOf(w, "low"));
		await w.until(async () => (await w.jobs()).find((j) => j.name === "low")?.state === "cancelled");
		expect(await roomOf(w)).toEqual({ poolId: "home", slots: [0], ruleId: "room" });
	});
});

describe("a job at home that is evicted", () => {
	it("saves, waits again, and continues from its checkpoint", async () => {
		const w = await World.open({ slots: 1, checkpointRoot });
		world = w;
		await w.submit({ name: "low", estimate: "1m", max: "2h", checkpointEvery: "10m" });
		await w.until(async () => (await w.jobs())[0]?.state === "running");
		for (let i = 0; i < 10; i++) await w.tick();
		const { snapshot } = await loadSnapshot(w.ctx, new SnapshotCache());
		const [running] = snapshot.running;
		const { jobId, attemptId } = running ?? { jobId: "", attemptId: "" };
		const why = reason("evicted_for_deadline", { forJobId: "job_other" });
		const plan = { explanations: [], forecasts: new Map(), waiting: new Map() };
		await applyPlan(
			w.ctx,
			snapshot,
			{ ...plan, actions: [{ kind: "evict", jobId, attemptId, forJobId: "job_other", reason: why }] },
			{ waiting: new Map(), inputs: newInputMemory(), homeRoomSince: new Map() },
		);
		await w.until(() => w.quiet());
		const [first, second, ...more] = await w.attempts();
		expect(more).toEqual([]);
		expect([first?.state, first?.reason?.code]).toEqual(["evicted", "evicted_for_deadline"]);
		expect(second?.state).toBe("succeeded");
		expect(w.restoredFrom.get(first?.id ?? "")).toBeNull();
		expect(w.restoredFrom.get(second?.id ?? "")).toContain(jobId);
		expect(Number((await w.jobs())[0]?.completedMs)).toBeGreaterThanOrEqual(10 * SECOND_MS);
		await booksAreWhole(w);
	});
});
