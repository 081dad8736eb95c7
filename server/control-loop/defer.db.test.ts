import { afterEach, describe, expect, it } from "vitest";
import { offerPrice } from "#server/db/schema/offer.ts";
import { sentenceOf } from "#server/domain/sentences.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { knownFacts } from "#server/services/governance/policy/known-facts.ts";
import { importIntensity } from "#server/services/pricing/energy/import-intensity.ts";
import { World, type WorldOptions } from "./testing/world.ts";

/** 2026-11-02 08:00 UTC: the start of every test world. */
const START_MS = Date.UTC(2026, 10, 2, 8);
const GREENER = "{ id: green-hours, defer: { to: greener, within: 6h } }";

const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

async function open(options: WorldOptions): Promise<World> {
	const world = await World.open(options);
	opened.push(world);
	return world;
}

/** Imports g/kWh for hours from `fromMs` on, for the zone of the home site. */
async function importGrid(w: World, fromMs: number, hours: number, gramsAt: (hour: number) => number): Promise<void> {
	const lines = Array.from({ length: hours }, (_, i) => {
		const at = new Date(fromMs + i * HOUR_MS);
		return `DE,${at.toISOString()},${gramsAt(at.getUTCHours())}`;
	});
	const text = ["zone,ts,g_per_kwh", ...lines, ""].join("\n");
	await importIntensity(systemContext(w.database.db, w.clock, "seed"), { text, source: "a grid operator" });
}

async function theJob(w: World) {
	const [row] = await w.jobs();
	if (!row) throw new Error("the world has no job");
	return row;
}

describe("a deferred live start", () => {
	it("begins at the greenest imported hour, and names the source and time of the forecast", async () => {
		const w = await open({ slots: 1, rules: [GREENER] });
		await importGrid(w, START_MS, 12, (hour) => (hour === 11 ? 100 : 400));
		await w.submit({ name: "a", estimate: "1h", max: "2h" });
		await w.tick();
		const put = await theJob(w);
		// 300 W × 1 h × PUE 1.58 × (400 − 100) g/kWh
		expect(put.reason).toMatchObject({ code: "deferred_greener_hour", facts: { untilMs: START_MS + 3 * HOUR_MS, savedGrams: 142 } });
		expect(sentenceOf(put.reason)).toContain("; forecast by a grid operator at 2026-11-02 08:00 UTC");
		w.clock.advance(3 * HOUR_MS);
		await w.until(async () => (await theJob(w)).state === "running");
	});

	it("uses the pattern of past days where there is no forecast", async () => {
		const w = await open({ slots: 1, rules: [GREENER] });
		await importGrid(w, START_MS - 8 * HOUR_MS - 14 * DAY_MS, 14 * 24, (hour) => (hour === 12 ? 120 : 360));
		await w.submit({ name: "a", estimate: "1h", max: "2h" });
		await w.tick();
		const { reason } = await theJob(w);
		expect(reason).toMatchObject({ code: "deferred_greener_hour", facts: { untilMs: START_MS + 4 * HOUR_MS, foretoldDays: 14 } });
		expect(sentenceOf(reason)).toContain("; estimated from the same hours of 14 days up to 2026-11-02 00:00 UTC (a grid operator)");
	});

	it("begins at the hour at which spot was cheaper in past weeks", async () => {
		const price = { microUsdPerHour: 400_000n, priceObservedAtMs: START_MS };
		// Speed 1, so that the estimate is the run time.
		const spot = fakeOffer({ capacityType: "spot", accelerator: "A100-80GB", ...price });
		const rules = ["{ id: go, burst: { always: true } }", "{ id: cheap-hours, defer: { to: cheaper, within: 6h } }"];
		const w = await open({ slots: 0, rules, cloud: { offers: [spot] } });
		const days = Array.from({ length: 10 }, (_, day) => START_MS - 8 * HOUR_MS - (10 - day) * DAY_MS);
		await w.database.db.insert(offerPrice).values(
			days.flatMap((dayMs) => [
				{ offerId: spot.id, observedAt: new Date(dayMs), microUsdPerHour: 400_000n },
				{ offerId: spot.id, observedAt: new Date(dayMs + 10 * HOUR_MS), microUsdPerHour: 200_000n },
				{ offerId: spot.id, observedAt: new Date(dayMs + 12 * HOUR_MS), microUsdPerHour: 400_000n },
			]),
		);
		await w.submit({ name: "a", estimate: "1h", max: "2h" });
		await w.tick();
		expect((await theJob(w)).reason).toMatchObject({
			code: "deferred_cheaper_hour",
			facts: { untilMs: START_MS + 2 * HOUR_MS, ruleId: "cheap-hours", foretoldDays: 10, foretoldBy: "invented for tests" },
		});
	});

	it("begins immediately without data, and the policy check reports that there is no forecast", async () => {
		const w = await open({ slots: 1, rules: [GREENER] });
		await importGrid(w, START_MS - 8 * HOUR_MS - 3 * DAY_MS, 3 * 24, (hour) => (hour === 12 ? 120 : 360));
		await w.submit({ name: "a" });
		await w.until(async () => (await theJob(w)).state === "running");
		expect((await knownFacts(w.ctx)).measures).not.toContain("grid_forecast");
		await importGrid(w, START_MS + HOUR_MS, 12, () => 100);
		expect((await knownFacts(w.ctx)).measures).toContain("grid_forecast");
	});
});
