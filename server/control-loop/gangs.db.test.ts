import { asc, eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { hold } from "#server/db/schema/budget.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import { offer } from "#server/db/schema/offer.ts";
import { sampled } from "#server/kernel/testing/deep.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { systemContext } from "#server/services/core/context.ts";
import { offerRecords } from "#server/services/decision/snapshot/offer-records.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { PROBE_STEPS } from "./context.ts";
import { World, type WorldOptions } from "./testing/world.ts";

const START_MS = Date.UTC(2026, 10, 2, 8);
const NODES = 4;
/** Longer than assembling the gang and stopping a command; every further second is a tick without events. */
const RUN_MS = 8_000;
const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

async function open(options: Partial<WorldOptions> = {}): Promise<World> {
	const world = await World.open({ slots: 0, runMs: RUN_MS, ...options });
	opened.push(world);
	return world;
}

const zoned = (changes: Parameters<typeof fakeOffer>[0] = {}) =>
	fakeOffer({ zone: "us-east-1a", capacityType: "spot", microUsdPerHour: 300_000n, priceObservedAtMs: START_MS, ...changes });
const running = (w: World) => async () => (await w.jobs())[0]?.state === "running";
const ends = async (w: World) => (await w.attempts()).map((a) => [a.state, a.reason?.code, a.exitCode]);

/** No machine or hold remains, and the ledger adds up. */
async function expectClean(w: World): Promise<void> {
	await meterAll(w.ctx);
	expect(await w.sweep()).toBe(0);
	expect(await w.database.db.$count(hold, eq(hold.state, "pending"))).toBe(0);
	const [held] = await w.database.sql`select coalesce(sum(held_micro_usd), 0)::text as n from budget_period`;
	expect(held?.n).toBe("0");
	expect((await ledgerCheck(w.ctx)).differences).toEqual([]);
	const made = w.cloud.instances();
	expect(new Set(made.map((m) => m.instanceId)).size).toBe(made.length);
}

describe("a gang of four in a cloud", () => {
	it("starts on four machines in the zone of its first, and runs and ends as one attempt", async () => {
		const w = await open();
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(async () => (await w.instances()).length === NODES);
		// The offer names no zone: rank 0 is requested alone, and the others follow it.
		expect((await w.instances()).filter((i) => i.calls > 0).map((i) => i.rank)).toEqual([0]);
		await w.until(running(w));
		const rows = await w.instances();
		expect(rows.map((i) => [i.rank, i.state, i.zone])).toEqual([0, 1, 2, 3].map((rank) => [rank, "ready", "us-east-1a"]));
		expect(new Set(rows.map((i) => i.attemptId)).size).toBe(1);
		await w.until(() => w.quiet());
		expect(await ends(w)).toEqual([["succeeded", "completed", 0]]);
		expect((await w.attempts())[0]?.gpus).toBe(NODES);
		await expectClean(w);
	});

	it("is placed together where its interconnect exists, until the sweep after its end", async () => {
		const efa = fakeOffer({ instanceType: "p4d.24xlarge", microUsdPerHour: 1_500_000n, priceObservedAtMs: START_MS });
		const w = await open({ cloud: { offers: [fakeOffer({ priceObservedAtMs: START_MS }), efa] } });
		const { placements } = w.cloud.driver("aws", "spw-test");
		await w.submit({ name: "gang", nodes: 2, interconnect: "high" });
		await w.until(running(w));
		expect((await w.instances()).map((i) => i.instanceType)).toEqual(["p4d.24xlarge", "p4d.24xlarge"]);
		await w.sweep();
		const [attempt] = await w.attempts();
		expect((await placements?.list())?.map(({ attemptId }) => attemptId)).toEqual([attempt?.id]);
		await w.until(() => w.quiet());
		await w.sweep();
		expect(await placements?.list()).toEqual([]);
		await expectClean(w);
	});

	it("holds the worst case of each machine, all or nothing: $1.60 is enough for three, so none is requested", async () => {
		// For one: $1/h for 10 min of work and 15 min around it, and a margin: above $0.40.
		const w = await open({ capUsd: 1.6 });
		await w.submit({ name: "gang", nodes: NODES });
		await w.tick();
		expect((await w.jobs())[0]?.reason.code).toBe("budget_exceeded");
		expect(await w.database.db.$count(hold)).toBe(0);
		expect(w.cloud.instances()).toHaveLength(0);
		const roomy = await open({ capUsd: 2.5 });
		await roomy.submit({ name: "gang", nodes: NODES });
		await roomy.tick();
		const holds = await roomy.database.db.select().from(hold);
		expect(holds).toHaveLength(NODES);
		const total = holds.reduce((sum, h) => sum + h.amountMicroUsd, 0n);
		const reason = (await roomy.jobs())[0]?.reason;
		expect(String(total)).toBe(String(reason?.facts["holdMicroUsd"]));
	});

	it("holds egress for rank 0 only, since only its checkpoints are kept", async () => {
		const w = await open({ runMs: 12_000 });
		await w.submit({ name: "gang-v1", nodes: NODES, checkpointEvery: "10s" });
		await w.until(() => w.quiet());
		await w.database.db.update(checkpoint).set({ bytes: 10n * 1024n ** 3n });
		w.clock.advance(2 * 60_000);
		const [id = ""] = await w.submit({ name: "gang-v2", nodes: NODES, checkpointEvery: "10s" });
		await w.tick();
		const held = await w.database.db
			.select({ rank: instance.rank, amount: hold.amountMicroUsd })
			.from(hold)
			.innerJoin(instance, eq(instance.id, hold.instanceId))
			.where(eq(instance.jobId, id))
			.orderBy(asc(instance.rank));
		const [first = 0n, ...others] = held.map((h) => h.amount);
		expect(new Set(others).size).toBe(1);
		// As for one machine: at most 133 checkpoints of 10 GiB (egress-hold.db.test.ts), and less than a µ$ per machine for rounding.
		const egress = 133n * 10n * egressMicroUsdPerGiB("aws", "us-east-1");
		expect(Number(first - (others[0] ?? 0n) - egress)).toBeGreaterThanOrEqual(0);
		expect(Number(first - (others[0] ?? 0n) - egress)).toBeLessThan(NODES);
	});

	it("does not start under a cap of three machines, nor above a burn rate of three", async () => {
		for (const cap of ['{ id: few, scope: "true", instances: 3 }', '{ id: slow, scope: "true", burnRateUsdPerHour: 3.5 }']) {
			const w = await open({ caps: [cap] });
			await w.submit({ name: "gang", nodes: NODES });
			for (let i = 0; i < 5; i++) await w.tick();
			expect((await w.jobs())[0]?.reason.code, cap).toBe("cap_exceeded");
			expect(await w.instances()).toHaveLength(0);
		}
	});
});

describe("when one machine of a gang is unavailable", () => {
	it("releases the others immediately, avoids the offer once, and starts complete elsewhere", async () => {
		const cheap = zoned({ instanceType: "g4dn.xlarge" });
		const dear = zoned({ microUsdPerHour: 400_000n });
		const w = await open({ cloud: { offers: [cheap, dear], bootDelayMs: 30_000 } });
		// Ranks 0 and 1 are created; 2 and 3 are refused.
		w.cloud.launches.next();
		w.cloud.launches.next();
		w.cloud.launches.next({ kind: "error", error: "insufficient_capacity" });
		w.cloud.launches.next({ kind: "error", error: "insufficient_capacity" });
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(async () => (await w.attempts())[0]?.finishedAt != null);
		const [first] = await w.attempts();
		expect([first?.state, first?.reason?.code]).toEqual(["evicted", "launch_refused_capacity"]);
		const rows = (await w.instances()).filter((i) => i.attemptId === first?.id);
		const [made, refused] = [rows.filter((i) => i.launchedAt !== null), rows.filter((i) => i.launchedAt === null)];
		expect(made.map((i) => [i.state, i.reason?.code])).toEqual(Array(2).fill(["terminated", "gang_member_failed"]));
		expect(refused.map((i) => i.state)).toEqual(["terminated", "terminated"]);
		expect(refused.find((i) => i.rank === first?.reason?.facts["rank"])?.reason?.code).toBe("launch_refused_capacity");
		// They are requested concurrently; a late request is not sent because the gang is already given up.
		for (const { calls, reason } of refused) expect(reason?.code).toBe(calls > 0 ? "launch_refused_capacity" : "gang_member_failed");
		// Immediately: they never booted, and ended as soon as the provider allows.
		expect(w.cloud.instances().filter((m) => m.instanceType === "g4dn.xlarge")).toHaveLength(2);
		for (const row of made) expect(row.terminatingAt?.getTime()).toBeLessThanOrEqual((row.launchedAt?.getTime() ?? 0) + 2_000);
		const [left] = await w.database.db.select().from(offer).where(eq(offer.id, cheap.id));
		expect([left?.backoffReason, left?.refusals]).toEqual(["insufficient_capacity", 1]);
		await w.until(() => w.quiet());
		expect((await ends(w)).slice(-1)).toEqual([["succeeded", "completed", 0]]);
		await expectClean(w);
		const records = await offerRecords(w.database.db, w.clock.nowMs());
		expect(records.get(cheap.id)?.interruptions ?? 0).toBe(0);
		// A created machine is billed for at least a minute: at $0.30 an hour this is half a cent. The others cost nothing.
		const costs = (await w.instances()).filter((i) => i.attemptId === first?.id).map((i) => i.costMicroUsd);
		expect(costs.sort()).toEqual([0n, 0n, 5_000n, 5_000n]);
	});

	it("requests only one machine when the provider has no room even for that, where the offer names no zone", async () => {
		const w = await open();
		w.cloud.launches.next({ kind: "error", error: "insufficient_capacity" });
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(async () => (await w.attempts())[0]?.finishedAt != null);
		expect(w.cloud.calls.recorded.filter((c) => c.method === "launch")).toHaveLength(1);
		await w.until(() => w.quiet());
		expect((await ends(w)).slice(-1)).toEqual([["succeeded", "completed", 0]]);
		await expectClean(w);
	});

	it.each(sampled(["launch:provider_answered", "terminate:marked", "terminate:provider_answered", "terminate:written"] as const, 2))(
		"releases everything also when the scheduler dies at %s on the way",
		async (step) => {
			const w = await open({ cloud: { offers: [zoned()] } });
			for (let made = 0; made < 3; made++) w.cloud.launches.next();
			w.cloud.launches.next({ kind: "error", error: "insufficient_capacity" });
			w.killAt = { step, pass: 2 };
			await w.submit({ name: "gang", nodes: NODES });
			await w.until(async () => (await w.jobs()).every(({ finishedAt }) => finishedAt !== null), 1_600);
			// Requests of the dead scheduler that are still on their way can create a machine after its successor gave it up.
			await w.until(async () => (await w.sweep()) === 0 && w.quiet(), 1_600);
			expect(w.deaths).toBe(1);
			expect((await ends(w)).at(-1)).toEqual(["succeeded", "completed", 0]);
			await expectClean(w);
		},
	);

	it("releases a gang that does not assemble in time, and blames the machine that did not come up", async () => {
		const w = await open({ tickMs: 5_000, cloud: { offers: [zoned()] } });
		for (let rank = 0; rank < 3; rank++) w.cloud.launches.next();
		w.cloud.launches.next({ kind: "slow_boot", durationMs: 3_600_000 });
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(async () => (await w.attempts())[0]?.finishedAt != null);
		const [first] = await w.attempts();
		// They are requested concurrently, so any of them may be the fourth.
		const late = (await w.instances()).find((i) => i.attemptId === first?.id && i.readyAt === null);
		expect(late).toBeDefined();
		expect([first?.state, first?.reason?.code, first?.reason?.facts["rank"]]).toEqual([
			"evicted",
			"instance_not_ready_in_time",
			late?.rank,
		]);
		expect(first?.startedAt).toBeNull();
		await w.until(() => w.quiet());
		await expectClean(w);
	});
});

describe("when one machine of a running gang ends", () => {
	const member = async (w: World, rank: number) => (await w.instances()).find((i) => i.rank === rank && i.terminatedAt === null);

	it("stops all when the provider reclaims one, counts one interruption, and runs the job again", async () => {
		const w = await open({ cloud: { offers: [zoned()] } });
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(running(w));
		w.cloud.interrupt((await member(w, 2))?.providerInstanceId ?? "", 1_000);
		await w.until(() => w.quiet());
		const attempts = await w.attempts();
		expect(attempts.map((a) => [a.state, a.reason?.code])).toEqual([
			["interrupted", "spot_interruption"],
			["succeeded", "completed"],
		]);
		const first = (await w.instances()).filter((i) => i.attemptId === attempts[0]?.id);
		expect(first.map((i) => i.reason?.code)).toEqual([
			"gang_member_failed",
			"gang_member_failed",
			"spot_interruption",
			"gang_member_failed",
		]);
		expect((await offerRecords(w.database.db, w.clock.nowMs())).get(zoned().id)?.interruptions).toBeCloseTo(1, 1);
		// Never two live attempts: the second begins when the first's last machine has ended or reported its end.
		expect(attempts[1]?.createdAt.getTime()).toBeGreaterThanOrEqual(attempts[0]?.finishedAt?.getTime() ?? Number.NaN);
		await expectClean(w);
	});

	it("charges each rank for its own seconds: 4 × $0.36/h, interrupted halfway", async () => {
		// 100 µ$ a second.
		const offers = [zoned({ microUsdPerHour: 360_000n })];
		const w = await open({ runMs: 600_000, tickMs: 15_000, cloud: { offers } });
		await w.submit({ name: "gang", nodes: NODES, max: "30m", estimate: "10m" });
		await w.until(async () => ((await w.attempts())[0]?.startedAt?.getTime() ?? Number.POSITIVE_INFINITY) + 300_000 <= w.clock.nowMs());
		w.cloud.interrupt((await member(w, 1))?.providerInstanceId ?? "", 1_000);
		await w.until(() => w.quiet());
		await expectClean(w);
		const [first, second] = await w.attempts();
		expect([first?.state, second?.state]).toEqual(["interrupted", "succeeded"]);
		const rows = await w.instances();
		for (const i of rows) {
			const seconds = BigInt(((i.terminatedAt?.getTime() ?? 0) - (i.launchedAt?.getTime() ?? 0)) / 1_000);
			expect(seconds).toBeGreaterThan(300n);
			expect(i.costMicroUsd).toBe(100n * seconds);
		}
		const costOf = (id: string | undefined) => rows.filter((i) => i.attemptId === id).reduce((sum, i) => sum + i.costMicroUsd, 0n);
		expect([first?.costMicroUsd, second?.costMicroUsd]).toEqual([costOf(first?.id), costOf(second?.id)]);
		expect((await w.jobs())[0]?.costMicroUsd).toBe(costOf(first?.id) + costOf(second?.id));
	});

	it.each(["vanishes", "falls silent"])(
		"is lost, not failed, when a machine %s and its peers' commands fail before that is known",
		async (how) => {
			const w = await open();
			await w.submit({ name: "gang", nodes: NODES, max: "2h" });
			await w.until(running(w));
			const lost = await member(w, 0);
			if (how === "vanishes") w.cloud.vanish(lost?.providerInstanceId ?? "");
			else w.silenced.add(lost?.id ?? "");
			w.clock.advance(10_000);
			for (const rank of [1, 2, 3]) w.failing.set((await member(w, rank))?.id ?? "", 1);
			await w.until(async () => (await w.attempts())[0]?.finishedAt != null);
			w.failing.clear();
			const [first] = await w.attempts();
			expect([first?.state, first?.reason?.code, first?.reason?.facts["rank"]]).toEqual([
				"lost",
				how === "vanishes" ? "instance_vanished" : "agent_silent",
				0,
			]);
			await w.until(() => w.quiet());
			expect((await w.jobs())[0]?.state).toBe("succeeded");
			await expectClean(w);
		},
	);

	it("fails with the exit code of the rank that failed first, and stops the others", async () => {
		const w = await open({ runMs: 600_000 });
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(running(w));
		w.failing.set((await member(w, 3))?.id ?? "", 7);
		await w.until(() => w.quiet());
		expect(await ends(w)).toEqual([["failed", "gang_member_failed", 7]]);
		expect((await w.instances()).map((i) => i.exit?.code)).toEqual([143, 143, 143, 7]);
		expect((await w.jobs())[0]).toMatchObject({ state: "failed", reason: { facts: { rank: 3, nodes: NODES, exitCode: 7 } } });
		await expectClean(w);
	});

	it("records one end for the job when two commands fail at once", async () => {
		const w = await open({ runMs: 600_000 });
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(running(w));
		w.failing.set((await member(w, 1))?.id ?? "", 3);
		w.failing.set((await member(w, 2))?.id ?? "", 4);
		await w.until(() => w.quiet());
		const [[state, code, exitCode] = []] = await ends(w);
		expect([state, code]).toEqual(["failed", "gang_member_failed"]);
		expect([3, 4]).toContain(exitCode);
		const [job] = await w.jobs();
		const rank = job?.reason.facts["rank"];
		expect((await w.instances()).find((i) => i.rank === rank)?.exit?.code).toBe(exitCode);
		await expectClean(w);
	});

	it("continues after a finished rank has left, and succeeds with the last one", async () => {
		const w = await open({ runMs: 15_000 });
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(running(w));
		const early = await member(w, 1);
		w.failing.set(early?.id ?? "", 0);
		await w.until(
			async () =>
				(
					await w.database.db
						.select()
						.from(instance)
						.where(eq(instance.id, early?.id ?? ""))
				)[0]?.terminatedAt != null,
		);
		expect((await w.jobs())[0]?.state).toBe("running");
		await w.until(() => w.quiet());
		expect(await ends(w)).toEqual([["succeeded", "completed", 0]]);
		await expectClean(w);
	});

	it.each(["admitted", "running"] as const)("ends all machines of a gang that is cancelled while it is %s", async (state) => {
		const w = await open({ runMs: 600_000, cloud: { offers: [zoned()], bootDelayMs: 5_000 } });
		const [id = ""] = await w.submit({ name: "gang", nodes: NODES });
		await w.until(async () => (await w.jobs())[0]?.state === state && w.cloud.instances().length === NODES);
		await cancelJob(systemContext(w.database.db, w.clock), id);
		await w.until(() => w.quiet());
		expect((await ends(w)).map(([end, code]) => [end, code])).toEqual([["cancelled", "cancelled_by_person"]]);
		await expectClean(w);
	});
});

describe("a scheduler killed at any step of a gang's launch or end", () => {
	const steps = PROBE_STEPS.filter((step) => step.startsWith("launch:") || step.startsWith("terminate:"));
	// Halfway: at the third machine.
	const cases = sampled(steps, 3).map((step) => [step, step === "launch:intent_written" ? 1 : 3] as const);
	it.each(cases)("at %s, pass %i: one success, every machine terminated, nothing held", async (step, pass) => {
		const w = await open({ cloud: { offers: [zoned()] } });
		w.killAt = { step, pass };
		await w.submit({ name: "gang", nodes: NODES });
		await w.until(() => w.quiet());
		expect(w.deaths).toBe(1);
		const attempts = await w.attempts();
		expect(attempts.filter((a) => a.state === "succeeded")).toHaveLength(1);
		expect(
			w.cloud
				.instances()
				.map((m) => m.instanceId)
				.sort(),
		).toEqual((await w.instances()).flatMap((r) => (r.providerInstanceId ? [r.id] : [])).sort());
		await expectClean(w);
	});
});
