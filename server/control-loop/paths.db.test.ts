import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { offer } from "#server/db/schema/offer.ts";
import { site } from "#server/db/schema/site.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { offerRecords } from "#server/services/decision/snapshot/offer-records.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { beat, keepListening, listenedMs } from "#server/services/work/agent/listening.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { World, type WorldOptions } from "./testing/world.ts";

const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

async function open(options: WorldOptions): Promise<World> {
	const world = await World.open(options);
	opened.push(world);
	return world;
}

const stateOf = async (w: World, name: string) => (await w.jobs()).find((j) => j.name === name)?.state;
const reaches = (w: World, name: string, state: string) => async () => (await stateOf(w, name)) === state;

describe("recovery from cloud errors", () => {
	it("uses the next cheapest offer when the first has no capacity, and avoids the first", async () => {
		const cheap = fakeOffer({ instanceType: "g4dn.xlarge", microUsdPerHour: 500_000n, priceObservedAtMs: Date.UTC(2026, 10, 2, 8) });
		const dear = fakeOffer({ priceObservedAtMs: Date.UTC(2026, 10, 2, 8) });
		const w = await open({ slots: 0, cloud: { offers: [cheap, dear] } });
		w.cloud.launches.always({ instanceType: "g4dn.xlarge" }, { kind: "error", error: "insufficient_capacity" });
		await w.submit({ name: "a" });
		await w.until(() => w.quiet());
		const attempts = await w.attempts();
		expect(attempts.map((a) => [a.state, a.reason?.code, a.placement.instanceType])).toEqual([
			["evicted", "launch_refused_capacity", "g4dn.xlarge"],
			["succeeded", "completed", "g5.xlarge"],
		]);
		const [row] = await w.database.db.select().from(offer).where(eq(offer.id, cheap.id));
		expect(row?.backoffReason).toBe("insufficient_capacity");
		expect(row?.refusals).toBe(1);
	});

	it.each(["lose_answer", "delayed_create", "invisible"] as const)("creates one machine when the launch meets %s", async (kind) => {
		const w = await open({ slots: 0 });
		w.cloud.launches.next(kind === "lose_answer" ? { kind } : { kind, durationMs: 8_000 });
		await w.submit({ name: "a" });
		await w.until(() => w.quiet());
		expect(w.cloud.instances()).toHaveLength(1);
		expect((await w.attempts()).map((a) => a.state)).toEqual(["succeeded"]);
	});

	it("runs a job again when its spot machine is reclaimed, and reports it", async () => {
		const spot = fakeOffer({ capacityType: "spot", microUsdPerHour: 300_000n, priceObservedAtMs: Date.UTC(2026, 10, 2, 8) });
		const w = await open({ slots: 0, cloud: { offers: [spot] } });
		w.cloud.launches.next({ kind: "interrupt", afterMs: 15_000, noticeMs: 2_000 });
		await w.submit({ name: "a" });
		await w.until(() => w.quiet());
		expect((await w.attempts()).map((a) => [a.state, a.reason?.code])).toEqual([
			["interrupted", "spot_interruption"],
			["succeeded", "completed"],
		]);
		const record = (await offerRecords(w.database.db, w.clock.nowMs())).get(spot.id);
		expect(record?.interruptions).toBeCloseTo(1, 2);
		expect(record?.launches).toBeGreaterThan(1);
		expect(record?.instanceHours).toBeGreaterThan(0);
		// Reclaimed, and healthy again with the second machine: one end of each.
		expect(record?.zone?.upEnds.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 2);
		expect(record?.zone?.downEnds.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 2);
	});

	it("gives up a silent machine only when it is seen terminated, so two never run at once", async () => {
		const w = await open({ slots: 0 });
		await w.submit({ name: "a", max: "2h" });
		await w.until(reaches(w, "a", "running"));
		const [first] = await w.instances();
		w.silenced.add(first?.id ?? "");
		w.clock.advance(10 * 60_000);
		await w.until(async () => (await w.attempts()).length === 2);
		const [a, b] = await w.attempts();
		const [machine] = await w.instances();
		expect(a?.state).toBe("lost");
		expect(a?.reason?.code).toBe("agent_silent");
		expect(machine?.terminatedAt?.getTime()).toBeLessThanOrEqual(b?.createdAt.getTime() ?? 0);
		await w.until(() => w.quiet());
		expect((await w.jobs())[0]?.state).toBe("succeeded");
	});

	it("keeps machines of agents that no server could hear, and counts their silence only from then on", async () => {
		const w = await open({ slots: 0 });
		await w.submit({ name: "a", max: "2h" });
		await w.until(reaches(w, "a", "running"));
		const [machine] = await w.instances();
		const { db, sql } = w.database;
		const stop = new AbortController();
		const listening = keepListening(db, stop.signal, (error) => expect.fail(String(error)));
		await expect.poll(() => listenedMs(db)).toBeLessThan(60_000);
		stop.abort();
		await listening;
		// The web servers were unavailable for long, and so was any current leader.
		await sql`update setting set value = jsonb_build_object('since', now() - interval '3 h', 'at', now() - interval '2 h') where key = 'agents_heard'`;
		w.silenced.add(machine?.id ?? "");
		w.clock.advance(20 * 60_000);
		for (let i = 0; i < 3; i++) await w.tick();
		expect((await w.attempts())[0]).toMatchObject({ state: "running", stopRequestedAt: null });
		await beat(db);
		for (let i = 0; i < 3; i++) await w.tick();
		expect((await w.attempts())[0]).toMatchObject({ state: "running", stopRequestedAt: null });
		// Other agents have been heard for ten minutes by now, but not this one.
		await sql`update setting set value = jsonb_set(value, '{since}', to_jsonb(now() - interval '10 min')) where key = 'agents_heard'`;
		await w.until(async () => (await w.attempts())[0]?.stopReason?.code === "agent_silent", 3);
		await beat(db);
		expect(await listenedMs(db)).toBeGreaterThan(9 * 60_000);
	});

	it("marks the site unhealthy when the account is rejected, and continues when it is accepted again", async () => {
		const w = await open({ slots: 0 });
		w.cloud.launches.next({ kind: "error", error: "unauthorized" });
		await w.submit({ name: "a" });
		await w.until(async () => (await w.database.db.select().from(site).where(eq(site.id, "aws")))[0]?.healthy === false);
		expect(w.cloud.instances()).toHaveLength(0);
		await w.tick();
		expect((await w.jobs())[0]?.reason.code).toMatch(/^waiting/);
		await w.database.db.update(site).set({ healthy: true }).where(eq(site.id, "aws"));
		w.clock.advance(60_000);
		await w.until(() => w.quiet());
		expect((await w.jobs())[0]?.state).toBe("succeeded");
	});

	it.each(["unauthorized", "wrong_clock"] as const)("does not treat %s as the answer to an earlier call without one", async (kind) => {
		const w = await open({ slots: 0 });
		w.cloud.launches.next({ kind: "lose_answer" });
		await w.submit({ name: "a" });
		await w.until(async () => (await w.instances())[0]?.calls === 1);
		w.cloud.calls.fail("launch", kind, { times: 3 });
		await w.until(async () => (await w.instances())[0]?.calls === 4);
		expect(w.cloud.instances()).toMatchObject([{ alive: true }]);
		expect((await w.instances())[0]).toMatchObject({ state: "requested", lastError: expect.stringContaining(kind) });
		expect((await w.database.db.select().from(site).where(eq(site.id, "aws")))[0]?.healthy).toBe(false);
		await w.until(() => w.quiet());
		expect(await w.jobs()).toMatchObject([{ state: "succeeded" }]);
		expect(w.cloud.instances()).toHaveLength(1);
	});

	it("terminates a machine with our tag but without a row", async () => {
		const w = await open({ slots: 0 });
		const stranger = w.cloud.plantStranger("spw-test", {
			instanceId: "ins_nobody",
			jobId: "job_nobody",
			attemptId: "att_nobody",
			region: "us-east-1",
			zone: null,
			instanceType: "g5.xlarge",
			capacityType: "on_demand",
			userData: "#!/bin/sh\n",
			expiresAtMs: w.clock.nowMs() + 1,
		});
		const foreign = w.cloud.plantStranger("spw-other", {
			instanceId: "ins_other",
			jobId: "job_other",
			attemptId: "att_other",
			region: "us-east-1",
			zone: null,
			instanceType: "g5.xlarge",
			capacityType: "on_demand",
			userData: "#!/bin/sh\n",
			expiresAtMs: w.clock.nowMs() + 1,
		});
		expect(await w.sweep()).toBe(1);
		w.clock.advance(10_000);
		const alive = new Map(w.cloud.instances().map((i) => [i.providerInstanceId, i.alive]));
		expect(alive.get(stranger.providerInstanceId)).toBe(false);
		expect(alive.get(foreign.providerInstanceId)).toBe(true);
	});
});

describe("cancelling", () => {
	it.each(["queued", "admitted", "running"] as const)("ends a job that is %s, and its machine", async (state) => {
		const w = await open({ slots: 0, runMs: 600_000, cloud: { bootDelayMs: 5_000 } });
		if (state === "queued") w.cloud.offers = [];
		if (state === "queued") await w.database.db.delete(offer);
		const [id = ""] = await w.submit({ name: "a" });
		await w.until(reaches(w, "a", state));
		const ctx = systemContext(w.database.db, w.clock);
		await cancelJob(ctx, id);
		await cancelJob(ctx, id).catch((error: Error) => expect(error.message).toMatch(/already cancelled/));
		await w.until(() => w.quiet());
		const [job] = await w.jobs();
		expect([job?.state, job?.reason.code]).toEqual(["cancelled", "cancelled_by_person"]);
		await expect(cancelJob(ctx, id)).rejects.toThrow(/is already/);
	});

	it("ends a job at home", async () => {
		const w = await open({ slots: 1 });
		const [id = ""] = await w.submit({ name: "a" });
		await w.until(reaches(w, "a", "running"));
		await cancelJob(systemContext(w.database.db, w.clock), id);
		await w.until(() => w.quiet());
		expect((await w.jobs())[0]?.state).toBe("cancelled");
		expect(w.cluster.attempts()).toEqual([]);
	});
});

describe("limits", () => {
	it("stops a job at its maximum duration, with the reason", async () => {
		const w = await open({ slots: 0, runMs: 600_000 });
		await w.submit({ name: "a", estimate: "10s", max: "45s" });
		await w.until(() => w.quiet());
		const [job] = await w.jobs();
		expect([job?.state, job?.reason.code]).toEqual(["failed", "max_duration_exceeded"]);
	});

	it("fails a job that can never run anywhere, immediately", async () => {
		const w = await open({ slots: 1 });
		await w.submit({ name: "a", gpus: 16 });
		await w.tick();
		const [job] = await w.jobs();
		expect([job?.state, job?.reason.code]).toEqual(["failed", "no_placement_possible"]);
	});

	it("lets exactly one of two simultaneous jobs burst with room for one more instance; the other is held with the missing amount", async () => {
		// The worst case of one: $1/h for at most 10 min + 15 min of boot and margins; $0.70 covers one, not two.
		const w = await open({ slots: 0, capUsd: 0.7 });
		await w.submit({ name: "a" }, { name: "b" });
		// Two schedulers that both believe they lead decide at the same moment.
		await Promise.all([runCycle(w.ctx, newCycleMemory()), runCycle(w.ctx, newCycleMemory())]);
		const jobs = await w.jobs();
		expect(jobs.map((j) => j.state).sort()).toEqual(["admitted", "held"]);
		const held = jobs.find((j) => j.state === "held");
		expect(held?.reason.code).toBe("budget_exceeded");
		expect(BigInt(String(held?.reason.facts.missingMicroUsd))).toBeGreaterThan(0n);
		expect(await w.instances()).toHaveLength(1);
		// Once the first is done and its actual cost posted, there is room again.
		await w.until(() => w.quiet());
		expect((await w.jobs()).map((j) => j.state)).toEqual(["succeeded", "succeeded"]);
		expect((await ledgerCheck(w.ctx)).ok).toBe(true);
	});

	it("lets exactly one of two simultaneous jobs burst under a cap of one machine; the other waits for its end", async () => {
		const w = await open({ slots: 0, caps: ['{ id: one-machine, scope: "true", instances: 1 }'] });
		await w.submit({ name: "a" }, { name: "b" });
		await Promise.all([runCycle(w.ctx, newCycleMemory()), runCycle(w.ctx, newCycleMemory())]);
		expect((await w.jobs()).map((j) => j.state).sort()).toEqual(["admitted", "queued"]);
		await w.until(() => w.quiet());
		expect((await w.jobs()).map((j) => j.state)).toEqual(["succeeded", "succeeded"]);
		const [first, second] = (await w.instances()).sort((x, y) => x.intendedAt.getTime() - y.intendedAt.getTime());
		expect(second?.intendedAt.getTime()).toBeGreaterThanOrEqual(first?.terminatedAt?.getTime() ?? Number.NaN);
	});
});
