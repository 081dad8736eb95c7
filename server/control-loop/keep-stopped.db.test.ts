import { and, asc, eq, isNotNull, isNull, ne } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import type { ProbeStep } from "#server/control-loop/context.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { hold } from "#server/db/schema/budget.ts";
import { charge } from "#server/db/schema/charge.ts";
import { instance } from "#server/db/schema/instance.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { readStoppedStart } from "#server/services/capacity/instance/warm-machines.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

const RULE = `{ id: ready, prewarm: { machines: 2, accelerator: A10G-24GB, gpus: 1, state: stopped, monthlyUsd: 50, hours: { days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00" } } }`;
/** 100 GiB for $7.20 in a month of 30 days: 1 cent an hour. */
const DISK = { type: "gp3", gib: 100, microUsdPerMonth: 7_200_000n, observedAtMs: 0, source: "invented for tests" };

/** One second is billed at 1 cent of the machine's price, a hundred times its disk's. */
async function open(): Promise<World> {
	const startMs = Date.UTC(2026, 10, 2, 8);
	const offers = [fakeOffer({ priceObservedAtMs: startMs, disk: DISK, microUsdPerHour: 1_000_000n })];
	world = await World.open({ slots: 1, startMs, runMs: 60_000, tickMs: 10_000, rules: [RULE], cloud: { offers, startDelayMs: 20_000 } });
	return world;
}

const warmOf = (w: World) => w.database.db.select().from(instance).where(isNotNull(instance.warmRule)).orderBy(asc(instance.id));
const stoppedOf = (w: World) =>
	w.database.db
		.select()
		.from(instance)
		.where(and(isNotNull(instance.stoppedFrom), isNull(instance.startCalledAt), ne(instance.state, "terminated")));
const stateOf = (w: World, id: string) => w.cloud.instances().find(({ instanceId }) => instanceId === id)?.state;

async function withTwoStopped(w: World): Promise<void> {
	await w.submit({ name: "home-1", estimate: "15m", max: "1h" }, { name: "first" });
	await w.until(async () => (await stoppedOf(w)).length === 2);
}

async function expectClosed(w: World): Promise<void> {
	await meterAll(w.ctx);
	expect(await w.sweep()).toBe(0);
	expect(await w.database.db.$count(hold, eq(hold.state, "pending"))).toBe(0);
	expect((await ledgerCheck(w.ctx)).differences).toEqual([]);
	for (const row of await w.instances()) {
		const charges = await w.database.db.select().from(charge).where(eq(charge.instanceId, row.id));
		const timeOf = (from: Date | null, until: Date | null) => (until?.getTime() ?? 0) - (from?.getTime() ?? 0);
		const stoppedMs = row.stoppedFrom === null ? 0 : timeOf(row.stoppedFrom, row.startCalledAt ?? row.billedUntil);
		expect(charges.reduce((sum, { gpuMs }) => sum + Number(gpuMs), 0)).toBe(timeOf(row.billedFrom, row.billedUntil) - stoppedMs);
		expect(charges.reduce((sum, { effectiveMicroUsd }) => sum + effectiveMicroUsd, 0n)).toBe(row.costMicroUsd);
	}
}

describe("machines kept stopped by the live scheduler", () => {
	it("stops them once they are ready, and charges only their disks until they end", async () => {
		const w = await open();
		await withTwoStopped(w);
		await meterAll(w.ctx);
		const before = await stoppedOf(w);
		expect(before.map(({ id }) => stateOf(w, id))).toEqual(["stopped", "stopped"]);
		for (let i = 0; i < 360; i++) await w.tick();
		expect(await warmOf(w)).toHaveLength(2);
		const [first] = before;
		await meterAll(w.ctx);
		const [now] = (await warmOf(w)).filter(({ id }) => id === first?.id);
		// An hour of the disk.
		const costMicroUsd = Number((now?.costMicroUsd ?? 0n) - (first?.costMicroUsd ?? 0n));
		expect(costMicroUsd).toBeGreaterThan(9_000);
		expect(costMicroUsd).toBeLessThan(11_000);
		await w.publish([]);
		await w.until(() => w.quiet(), 2_000);
		await expectClosed(w);
	});

	it("starts one for the next job, launches none for it, and learns how long the start took", async () => {
		const w = await open();
		await withTwoStopped(w);
		const made = w.cloud.instances().length;
		const [id = ""] = await w.submit({ name: "second" });
		await w.until(async () => (await w.jobs()).find((job) => job.id === id)?.state === "running");
		const [used] = await w.database.db.select().from(instance).where(eq(instance.jobId, id));
		expect(used).toMatchObject({ warmRule: "ready", state: "ready", startCalledAt: expect.any(Date) });
		expect(w.cloud.instances()).toHaveLength(made);
		const [run] = await w.database.db.select().from(attempt).where(eq(attempt.jobId, id));
		expect((run?.stagingAt?.getTime() ?? 0) - (used?.startCalledAt?.getTime() ?? 0)).toBe(20_000);
		await w.publish([]);
		await w.until(() => w.quiet(), 2_000);
		expect((await w.jobs()).every(({ state }) => state === "succeeded")).toBe(true);
		await expectClosed(w);
	});

	it("replaces the assumed start time by the recorded median from three starts on", async () => {
		const w = await open();
		const learned = () => w.database.db.transaction((tx) => readStoppedStart(tx));
		expect(await learned()).toEqual({ p50Ms: 90_000, p90Ms: 180_000 });
		await withTwoStopped(w);
		for (const name of ["second", "third", "fourth"]) {
			await w.until(async () => (await stoppedOf(w)).length > 0, 2_000);
			const [id = ""] = await w.submit({ name });
			await w.until(async () => (await w.jobs()).find((job) => job.id === id)?.state === "succeeded", 1_000);
		}
		expect(await learned()).toEqual({ p50Ms: 20_000, p90Ms: 20_000 });
	});

	it("ends the attempt when the start is refused, and runs the job elsewhere", async () => {
		const w = await open();
		await withTwoStopped(w);
		w.cloud.calls.fail("start", "insufficient_capacity");
		const [id = ""] = await w.submit({ name: "second" });
		await w.until(async () => (await w.jobs()).find((job) => job.id === id)?.state === "succeeded", 1_000);
		const runs = await w.database.db.select().from(attempt).where(eq(attempt.jobId, id)).orderBy(asc(attempt.number));
		expect(runs.map(({ reason }) => reason?.code)[0]).toBe("launch_refused_capacity");
		expect(runs.at(-1)?.state).toBe("succeeded");
		await w.publish([]);
		await w.until(() => w.quiet(), 2_000);
		await expectClosed(w);
	});

	it("ends machines that the provider does not stop, and launches no more until a job needs one", async () => {
		const w = await open();
		w.cloud.calls.fail("stop", "unauthorized", { times: 100 });
		await w.submit({ name: "home-1", estimate: "15m", max: "1h" }, { name: "first" });
		await w.until(async () => {
			const rows = await warmOf(w);
			return rows.length > 0 && rows.every(({ state }) => state === "terminated");
		});
		const rows = await warmOf(w);
		expect(rows.every(({ reason }) => reason?.facts["why"] === "stop_refused")).toBe(true);
		for (let i = 0; i < 120; i++) await w.tick();
		expect(await warmOf(w)).toHaveLength(rows.length);
		await w.publish([]);
		await w.until(() => w.quiet(), 2_000);
		await expectClosed(w);
	});

	it.each(["prewarm:stop_marked", "prewarm:stop_answered", "prewarm:stopped", "prewarm:start_marked", "prewarm:start_answered"] as const)(
		"loses and doubles nothing when the scheduler dies at %s",
		async (step: ProbeStep) => {
			const w = await open();
			w.killAt = { step, pass: 1 };
			await withTwoStopped(w);
			const made = w.cloud.instances().length;
			const [id = ""] = await w.submit({ name: "second" });
			await w.until(async () => (await w.jobs()).find((job) => job.id === id)?.state === "succeeded");
			expect(w.deaths).toBe(1);
			expect(w.cloud.instances().filter(({ jobId }) => jobId === id)).toEqual([]);
			expect(w.cloud.instances().length).toBeGreaterThanOrEqual(made);
			await w.publish([]);
			await w.until(() => w.quiet(), 2_000);
			await expectClosed(w);
		},
	);
});
