import { afterEach, describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	await world?.database.drop();
	world = null;
});

describe("a job with a deadline and checkpoints while spot is unavailable", () => {
	it("waits for it beside on-demand that could be had, says until when, asks again after each pause, and starts on it when it is back", async () => {
		const seen = { priceObservedAtMs: Date.UTC(2026, 10, 2, 8) };
		const spot = fakeOffer({ capacityType: "spot", microUsdPerHour: 10_000_000n, onDemandMicroUsdPerHour: 40_000_000n, ...seen });
		const onDemand = fakeOffer({ microUsdPerHour: 40_000_000n, ...seen });
		const w = await World.open({ slots: 0, cloud: { offers: [spot, onDemand] }, tickMs: 20_000, runMs: HOUR_MS });
		world = w;
		w.cloud.launches.always({ capacityType: "spot" }, { kind: "error", error: "insufficient_capacity" });
		const deadlineMs = w.clock.nowMs() + 40 * HOUR_MS;
		await w.submit({ name: "a", estimate: "20h", max: "30h", checkpointEvery: "15m", deadline: new Date(deadlineMs).toISOString() });
		const reasonNow = async () => (await w.jobs())[0]?.reason;
		await w.until(async () => (await reasonNow())?.code === "waiting_for_spot", 20);
		const facts = (await reasonNow())?.facts ?? {};
		expect(facts).toMatchObject({ offerId: onDemand.id, hourlyMicroUsd: "40000000", spotHourlyMicroUsd: "10000000" });
		// Nine in ten of the run times up to 30 h that can still meet the deadline must fit, with boots, restores and an interval.
		expect(Number(facts["untilMs"])).toBeLessThan(deadlineMs - 29 * HOUR_MS);
		expect(Number(facts["untilMs"])).toBeGreaterThan(deadlineMs - 31 * HOUR_MS);
		await w.until(async () => (await w.attempts()).length >= 3, 40);
		const placed = async () => (await w.attempts()).map((a) => [a.placement.capacityType, a.reason?.code ?? null]);
		expect(new Set((await placed()).map(String))).toEqual(new Set(["spot,launch_refused_capacity"]));
		w.cloud.launches.clear();
		await w.until(async () => (await w.jobs())[0]?.state === "running", 60);
		expect((await placed()).at(-1)?.[0]).toBe("spot");
	});
});
