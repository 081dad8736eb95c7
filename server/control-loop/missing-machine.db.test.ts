import { afterEach, describe, expect, it, vi } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import type { InstanceObservation } from "#server/providers/driver.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

const TERMINATE_MS = 7_000;
const HIDDEN_MS = 600_000;

/** One burst job, with home full. */
async function open(): Promise<World> {
	world = await World.open({ slots: 1, cloud: { terminateDelayMs: TERMINATE_MS } });
	return world;
}

const burst = (w: World) => w.submit({ name: "home-1", estimate: "1m" }, { name: "burst-1" });
const row = async (w: World) => defined((await w.instances())[0], "its row");
const machine = (w: World) => defined(w.cloud.instances()[0], "the machine");
const isClosed = (w: World) => async () => (await w.instances())[0]?.state === "terminated";

/** Charged time of the machine, and how much of that was refunded. */
async function charged(w: World): Promise<{ ms: number; backMs: number }> {
	await meterAll(w.ctx);
	const [sum] = await w.database.sql`
		select sum(gpu_ms)::float8 as ms, coalesce(-sum(gpu_ms) filter (where correction = 'end_learnt_late'), 0)::float8 as back
		from charge where kind <> 'egress' and instance_id = ${(await row(w)).id}`;
	return { ms: sum?.["ms"], backMs: sum?.["back"] };
}

describe("a machine that no listing has ever shown", () => {
	it("is charged until it counts as terminated, since its absence does not show its end; the provider's report corrects that", {}, async () => {
		const w = await open();
		w.cloud.launches.next({ kind: "invisible", durationMs: HIDDEN_MS });
		await burst(w);
		let endMs = 0;
		await w.until(async () => {
			if (endMs === 0 && w.cloud.instances()[0]?.alive === false) endMs = w.clock.nowMs();
			return isClosed(w)();
		});
		const { launchedAtMs } = machine(w);
		const closed = await row(w);
		expect(closed).toMatchObject({ reason: { code: "instance_vanished" }, exit: { code: 0 } });
		expect(endMs).toBeGreaterThan(launchedAtMs);
		const untilMs = defined(closed.billedUntil, "its end").getTime();
		expect(untilMs).toBeGreaterThanOrEqual(endMs);
		expect(untilMs - closed.billedUntilSlackMs).toBeLessThanOrEqual(endMs);
		expect((await charged(w)).ms).toBe(untilMs - launchedAtMs);

		w.clock.advance(HIDDEN_MS);
		const driver = defined(w.ctx.clouds.get("aws"), "the driver");
		const list = driver.list.bind(driver);
		const withWord = (seen: InstanceObservation): InstanceObservation => ({
			...seen,
			billing: { phase: "over", fromMs: null, untilMs: endMs },
		});
		vi.spyOn(driver, "list").mockImplementation(async () => {
			const found = await list();
			return { ...found, instances: found.instances.map(withWord) };
		});
		expect(await w.sweep()).toBe(0);
		expect(await row(w)).toMatchObject({ billedUntil: new Date(endMs), billedUntilSlackMs: 0 });
		expect((await charged(w)).ms).toBe(endMs - launchedAtMs);
		expect((await charged(w)).backMs).toBeGreaterThanOrEqual(untilMs - endMs);
	});
});

describe("a machine that was listed and then is missing", () => {
	it("is charged until the first listing without it when its agent is silent", async () => {
		const w = await open();
		await burst(w);
		await w.until(async () => (await w.instances())[0]?.readyAt != null);
		await w.tick();
		const { providerInstanceId, launchedAtMs } = machine(w);
		w.cloud.vanish(providerInstanceId);
		const missedMs = w.clock.nowMs() + 1_000;
		await w.until(isClosed(w));
		expect((await row(w)).billedUntil?.getTime()).toBe(missedMs);
		expect((await charged(w)).ms).toBe(missedMs - launchedAtMs);
	});

	it("stays charged when its agent was heard since: the listing missed a running machine", async () => {
		const w = await open();
		await burst(w);
		await w.until(async () => (await w.instances())[0]?.readyAt != null);
		await w.tick();
		const { providerInstanceId, launchedAtMs } = machine(w);
		vi.spyOn(defined(w.ctx.clouds.get("aws"), "the driver"), "describe").mockResolvedValue([]);
		for (let i = 0; i < 5; i++) await w.tick();
		const missing = await row(w);
		expect(missing.lastHeardAt).not.toBeNull();
		expect(missing.missingSince?.getTime()).toBeLessThan(missing.lastHeardAt?.getTime() ?? 0);
		w.silenced.add(missing.id);
		for (let i = 0; i < 5; i++) await w.tick();
		w.cloud.vanish(providerInstanceId);
		const endMs = w.clock.nowMs();
		await w.until(isClosed(w));
		const { billedUntil, billedUntilSlackMs } = await row(w);
		expect(billedUntil?.getTime()).toBeGreaterThanOrEqual(endMs);
		expect((billedUntil?.getTime() ?? 0) - billedUntilSlackMs).toBe(missing.lastHeardAt?.getTime());
		expect((await charged(w)).ms).toBe((billedUntil?.getTime() ?? 0) - launchedAtMs);
	});
});
