import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { site } from "#server/db/schema/site.ts";
import { defined } from "#server/kernel/assert.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { CloudDriver } from "#server/providers/driver.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { listInstances } from "#server/services/capacity/instance/list.ts";
import { systemContext } from "#server/services/core/context.ts";
import { moneyAtRisk } from "#server/services/overview/money-at-risk.ts";
import { readOffers } from "./read-offers.ts";
import { type JobChanges, World } from "./testing/world.ts";

const LEASE_MS = 40_000;
const FENCE_MS = 50_000;
const TICK_MS = 5_000;
const [HERE, THERE] = ["us-east-1", "us-west-2"];
const CALLS = ["describe", "terminate", "launch", "findByToken"];
const JOB = { name: "model", estimate: "1h", max: "2h", checkpointEvery: "20s", critical: true };

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

/** Two regions, with a job in the cheaper one; its agents report that they have a lease. */
async function open(changes: Partial<JobChanges> = {}, runMs = 20 * MINUTE_MS, patienceMs = 5_000): Promise<World> {
	const offers = [HERE, THERE].map((region, i) =>
		fakeOffer({ region: region ?? "", microUsdPerHour: BigInt(1_000_000 + i), priceObservedAtMs: Date.UTC(2026, 10, 2, 8) }),
	);
	const cloud = { offers, regions: [HERE ?? "", THERE ?? ""] };
	const w = await World.open({ slots: 0, tickMs: TICK_MS, runMs, patienceMs, cloud });
	world = w;
	w.leaseMs = LEASE_MS;
	await w.submit({ ...JOB, ...changes });
	return w;
}

async function run(w: World, ticks = 8): Promise<void> {
	await w.until(async () => (await w.attempts()).some((a) => a.state === "running"));
	for (let i = 0; i < ticks; i++) await w.tick();
}

/** Calls about the region get no answer any more, and its agents are silent. */
async function loseRegion(w: World): Promise<void> {
	for (const method of CALLS) w.cloud.calls.fail(method, "transient", { region: HERE ?? "", times: Number.POSITIVE_INFINITY });
	for (const { id } of await w.instances()) w.silenced.add(id);
}

it("a critical job leaves an unresponsive region from its checkpoint, as the only copy, within a minute of its provable end", async () => {
	const w = await open({}, 3 * MINUTE_MS);
	await run(w);
	await loseRegion(w);
	const lostMs = w.clock.nowMs();
	let mostAlive = 0;
	await w.until(async () => {
		const attempts = await w.attempts();
		mostAlive = Math.max(mostAlive, attempts.filter((a) => a.finishedAt === null).length);
		return attempts.some((a) => a.number === 2 && a.state === "running");
	});
	expect(mostAlive).toBe(1);
	const [first, next] = await w.attempts();
	const [old, young] = await w.instances();
	expect(first).toMatchObject({ state: "lost", reason: { code: "agent_silent", facts: { fenced: true } } });
	const detectedMs = defined(first?.finishedAt, "its end").getTime();
	// Not before its command is paused, and not much later.
	expect(detectedMs - lostMs).toBeGreaterThanOrEqual(FENCE_MS);
	expect(detectedMs - lostMs).toBeLessThanOrEqual(FENCE_MS + 3 * TICK_MS);
	expect(defined(next?.startedAt, "its start").getTime() - detectedMs).toBeLessThanOrEqual(MINUTE_MS);
	expect([old?.region, young?.region]).toEqual([HERE, THERE]);
	expect((await w.jobs())[0]?.completedMs).toBeGreaterThan(0n);
	// The machine may still exist and cost money. It is terminated repeatedly, and the region gets no other calls.
	expect(old).toMatchObject({ state: "terminating", terminatedAt: null });
	const context = systemContext(w.database.db, w.clock, "seed");
	const fencedAt = defined(old?.fencedAt, "its fence");
	w.clock.advance(MINUTE_MS);
	expect((await moneyAtRisk(context)).items).toMatchObject([{ instanceId: old?.id, why: "cut_off", sinceMs: fencedAt.getTime() }]);
	const { items } = await listInstances(context, { live: true });
	expect(items.map((i) => [i.id, i.fencedAt])).toEqual([
		[young?.id, null],
		[old?.id, fencedAt.toISOString()],
	]);
	await w.until(async () => (await w.jobs())[0]?.state === "succeeded");
	expect((await w.instances())[0]?.state).toBe("terminating");
	w.cloud.calls.clear();
	await w.until(() => w.quiet());
	const [gone] = await w.instances();
	const seconds = (defined(gone?.terminatedAt, "its end").getTime() - defined(gone?.launchedAt, "its launch").getTime()) / 1_000;
	expect(Number(gone?.costMicroUsd) / (1_000_000 / 3_600)).toBeGreaterThan(seconds - TICK_MS / 1_000 - 2);
	expect((await w.attempts()).map((a) => a.state)).toEqual(["lost", "succeeded"]);
});

it("continues elsewhere while a call about the lost region still hangs", async () => {
	const w = await open({}, 20 * MINUTE_MS, 100);
	await run(w);
	for (const { id } of await w.instances()) w.silenced.add(id);
	const clouds = w.ctx.clouds as Map<string, CloudDriver>;
	const driver = defined(clouds.get("aws"), "the site's driver");
	let hang: () => void = () => {};
	const hanging = new Promise<void>((resolve) => {
		hang = resolve;
	});
	const describe: CloudDriver["describe"] = async (region, ids) => {
		if (region === HERE) await hanging;
		return driver.describe(region, ids);
	};
	clouds.set("aws", { ...driver, describe });
	await w.until(async () => (await w.attempts()).some((a) => a.number === 2 && a.state === "running"));
	expect((await w.instances()).map(({ region, state }) => [region, state])).toEqual([
		[HERE, "ready"],
		[THERE, "ready"],
	]);
	hang();
	await w.until(async () => (await w.instances())[0]?.state === "terminated");
});

it("waits for its machine's termination without a lease, when the job is not critical", async () => {
	const w = await open({ critical: false });
	w.leaseMs = null;
	await run(w);
	await loseRegion(w);
	w.clock.advance(6 * MINUTE_MS);
	for (let i = 0; i < 20; i++) await w.tick();
	const [only, ...more] = await w.attempts();
	expect(more).toEqual([]);
	expect(only).toMatchObject({ state: "stopping", stopReason: { code: "agent_silent" } });
});

it("a jumping clock, or a scheduler that was unavailable, does not count as silence", async () => {
	const w = await open();
	await run(w);
	const [machine] = await w.instances();
	w.silenced.add(machine?.id ?? "");
	for (let i = 0; i < 4; i++) await w.tick();
	w.clock.advance(4 * MINUTE_MS);
	await w.tick();
	expect((await w.instances())[0]?.fencedAt).toBeNull();
	w.silenced.clear();
	for (let i = 0; i < 12; i++) await w.tick();
	expect(await w.attempts()).toMatchObject([{ state: "running", stopRequestedAt: null }]);
});

it("a gang with one machine cut off ends as a whole before it continues elsewhere", async () => {
	const w = await open({ nodes: 3 }, 3 * MINUTE_MS);
	await run(w);
	for (const method of CALLS) w.cloud.calls.fail(method, "transient", { region: HERE ?? "", times: Number.POSITIVE_INFINITY });
	const cut = defined(
		(await w.instances()).find(({ rank }) => rank === 1),
		"rank 1",
	);
	w.silenced.add(cut.id);
	await w.until(async () => (await w.attempts()).some((a) => a.number === 2 && a.state === "running"));
	const [first, next] = await w.attempts();
	const [members, young] = [0, 1].map((i) => w.instances().then((all) => all.filter((m) => m.attemptId === [first, next][i]?.id)));
	expect(first).toMatchObject({ state: "lost", reason: { code: "agent_silent", facts: { rank: 1, nodes: 3 } } });
	expect((await members)?.map((m) => [m.rank, m.exit?.code ?? null, m.fencedAt !== null])).toEqual([
		[0, 143, false],
		[1, null, true],
		[2, 143, false],
	]);
	expect(new Set((await young)?.map((m) => m.region))).toEqual(new Set([THERE]));
	w.cloud.calls.clear();
	await w.until(() => w.quiet());
	expect((await w.jobs())[0]?.state).toBe("succeeded");
});

it("a gang with peers that failed because one machine was cut off is lost, not failed", async () => {
	const w = await open({ nodes: 2 });
	await run(w);
	await loseRegion(w);
	const peer = defined(
		(await w.instances()).find(({ rank }) => rank === 0),
		"rank 0",
	);
	w.silenced.delete(peer.id);
	w.failing.set(peer.id, 1);
	await w.until(async () => (await w.attempts()).some((a) => a.number === 2 && a.state === "running"));
	expect((await w.attempts())[0]).toMatchObject({ state: "lost", reason: { code: "agent_silent", facts: { rank: 1 } } });
});

it("a critical job with an unanswered launch is launched elsewhere", async () => {
	const w = await open();
	await loseRegion(w);
	await w.until(async () => (await w.attempts()).some((a) => a.number === 2 && a.state === "running"));
	const [first] = await w.attempts();
	expect(first).toMatchObject({ state: "evicted", startedAt: null, reason: { code: "instance_not_ready_in_time" } });
	expect((await w.instances()).map((i) => [i.region, i.fencedAt !== null])).toEqual([
		[HERE, true],
		[THERE, false],
	]);
});

it("a site is healthy while one of its regions answers, and the failing ones are named", async () => {
	const w = await open();
	const driver = defined(w.ctx.clouds.get("aws"), "the site's driver");
	const read = async () => {
		const problem = await readOffers(w.ctx, driver).then(
			() => null,
			(error: Error) => error.message,
		);
		const [row] = await w.database.db.select().from(site).where(eq(site.id, "aws"));
		w.cloud.calls.clear();
		return [row?.healthy, row?.healthMessage, problem];
	};
	w.cloud.calls.fail("check", "transient");
	w.cloud.calls.fail("offers", "transient", { region: HERE ?? "" });
	expect(await read()).toEqual([true, `no answer from ${HERE}`, null]);
	expect(await read()).toEqual([true, null, null]);
	w.cloud.calls.fail("check", "transient");
	for (const region of [HERE, THERE]) w.cloud.calls.fail("offers", "transient", { region: region ?? "" });
	expect(await read()).toEqual([false, "scripted: check fails with transient", "scripted: check fails with transient"]);
	w.cloud.calls.fail("check", "unauthorized");
	expect((await read())[0]).toBe(false);
});
