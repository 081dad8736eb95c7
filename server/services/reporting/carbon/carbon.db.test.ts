import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decision } from "#server/db/schema/decision.ts";
import { site } from "#server/db/schema/site.ts";
import type { Candidate, Explanation } from "#server/domain/decision.ts";
import { reason } from "#server/domain/reasons.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { importIntensity } from "#server/services/pricing/energy/import-intensity.ts";
import { avoidedEmissions, cheapestRemoved } from "./avoided.ts";
import { carbonBy } from "./carbon-by.ts";
import { gridView } from "./grid-view.ts";
import { carbonPage } from "./page.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(async () => {
	await books.database.drop();
});

const day = { fromMs: test.T0 - 10 * HOUR_MS, toMs: test.T0 + 14 * HOUR_MS };
const scientist = (...teams: string[]) =>
	({ ...books, actor: { kind: "person", accountId: "a", name: "A", role: "data_scientist", teams, via: "session" } }) as const;

/** One hour of one A10G in us-east-1 (172.5 Wh, 65.636 g, 5.555 g embodied) and of four owned A10Gs, one of them in use. */
async function anHourOfBoth(): Promise<{ jobId: string }> {
	await test.addPool(books);
	await test.addUse(books, { team: "vision" });
	const { jobId } = await test.addMachine(books, { team: "risk" });
	books.clock.advance(HOUR_MS);
	await meterAll(books);
	return { jobId };
}

describe("emissions of a range", () => {
	it("1 busy A10G at home: 150 W × PUE 1.58 = 237 Wh × 370.93 g/kWh = 87.91 g; three idle 3 × 27.018 Wh = 30.063 g; cloud 65.636 g", async () => {
		await anHourOfBoth();
		const { totals, items } = await carbonBy(books, { ...day, groupBy: "team" });
		expect(totals.owned).toMatchObject({ energyMilliWh: 237_000n, operationalMilligrams: 87_910n });
		expect(totals.idle).toMatchObject({ energyMilliWh: 3n * 27_018n, operationalMilligrams: 3n * 10_021n });
		expect(totals.cloud).toMatchObject({ energyMilliWh: 172_500n, operationalMilligrams: 65_636n, embodiedMilligrams: 5_555n });
		expect(totals.totalMilligrams).toBe(totals.operationalMilligrams + totals.embodiedMilligrams);
		expect(items.map((i) => [i.key, i.owned.operationalMilligrams + i.cloud.operationalMilligrams])).toEqual([
			["vision", 87_910n],
			["risk", 65_636n],
			["", 0n],
		]);
	});

	it("groups by every dimension and by time to the same total", async () => {
		await anHourOfBoth();
		const { totals } = await carbonBy(books, { ...day, groupBy: "team" });
		for (const groupBy of [
			"day",
			"week",
			"month",
			"region",
			"provider",
			"site",
			"class",
			"accelerator",
			"capacityType",
			"project",
		] as const) {
			const answer = await carbonBy(books, { ...day, groupBy });
			expect(answer.totals).toEqual(totals);
			expect(answer.items.reduce((sum, item) => sum + item.totalMilligrams, 0n)).toBe(totals.totalMilligrams);
		}
		expect((await carbonBy(books, { ...day, groupBy: "week" })).items.map((i) => i.key)).toEqual(["2026-11-09"]);
	});

	it("reports the GPU time with unknown values: no power contracts, and a model with unknown emissions and manufacturing", async () => {
		await anHourOfBoth();
		await test.addMachine(books, { accelerator: "Mystery-1" });
		books.clock.advance(HOUR_MS / 2);
		await meterAll(books);
		const { totals } = await carbonBy(books, { ...day, groupBy: "team" });
		expect(totals.marketUnknownGpuMs).toBe(totals.gpuMs);
		expect([totals.emissionsUnknownGpuMs, totals.embodiedUnknownGpuMs]).toEqual([BigInt(HOUR_MS / 2), BigInt(HOUR_MS / 2)]);
		expect([totals.measuredEnergyMilliWh, totals.hourlyGridMilliWh, totals.marketMilligrams]).toEqual([0n, 0n, 0n]);
	});

	it("shows a data scientist their own teams only, without idle hardware", async () => {
		await anHourOfBoth();
		const { totals } = await carbonBy(scientist("vision"), { ...day, groupBy: "region" });
		expect([totals.owned.operationalMilligrams, totals.idle.gpuMs, totals.cloud.gpuMs]).toEqual([87_910n, 0n, 0n]);
		expect((await carbonBy(scientist(), { ...day, groupBy: "region" })).items).toEqual([]);
	});

	it("rejects an invalid range", async () => {
		await expect(carbonBy(books, { fromMs: 2, toMs: 1, groupBy: "day" })).rejects.toThrow(/time range/);
	});
});

describe("avoided emissions", () => {
	it("against home, with the exact wording: 1 GPU-hour at 150 W × PUE 1.58 × 370.93 g/kWh = 87.91 g, less 65.636 g = 22.274 g", async () => {
		await anHourOfBoth();
		const { home, removedOffer } = await avoidedEmissions(books, day);
		expect(home).toMatchObject({ counterfactualMilligrams: 87_910n, actualMilligrams: 65_636n, avoidedMilligrams: 22_274n });
		expect(home?.calculation).toContain("pool gpu at home at 150 W a GPU, PUE 1.58 and 370.93 g CO2e/kWh (DE, its average of a year)");
		expect(removedOffer).toBeNull();
	});

	it("against the cheapest removed offer: an A10G in us-west-2 was cheaper than one in eu-central-1", async () => {
		const { jobId } = await anHourOfBoth();
		const placement = {
			siteId: "aws",
			provider: "aws",
			zone: null,
			capacityType: "spot",
			instanceType: "g5.xlarge",
			poolId: null,
		} as const;
		const candidate = (region: string, hourlyMicroUsd: string, outcome: Candidate["outcome"]): Candidate => ({
			placement: { ...placement, region, accelerator: "A10G-24GB" },
			...{ offerId: region, instances: 1, hourlyMicroUsd, start: { p50Ms: 0, p90Ms: 0 }, finish: { p50Ms: 0, p90Ms: 0 } },
			...{ computeMicroUsd: "0", egressMicroUsd: "0", totalMicroUsd: "0", cashMicroUsd: "0", worstCaseMicroUsd: "0" },
			...{ emissionsGrams: null, scoreMicroUsd: "0", outcome, removedBy: null },
		});
		const explanation: Explanation = {
			...{ jobId, decidedAtMs: test.T0, policy: { name: "default", version: 1 }, outcome: "launch", reason: reason("submitted") },
			...{ verdict: "allow", homeStart: null, consideredCount: 3 },
			candidates: [candidate("us-east-1", "404200", "chosen"), candidate("eu-central-1", "300000", "removed")],
			removed: [{ ruleId: "r", why: "region_not_allowed", count: 1, cheapest: candidate("us-west-2", "200000", "removed") }],
		};
		expect(cheapestRemoved(explanation)?.placement.region).toBe("us-west-2");
		const unfit = { ...candidate("us-east-2", "1000", "removed"), removedBy: { ruleId: null, why: "hardware_gpus" as const, facts: {} } };
		expect(cheapestRemoved({ ...explanation, candidates: [unfit] })?.placement.region).toBe("us-west-2");
		await books.db.insert(decision).values({
			...{ id: newId("dec", test.T0), jobId, decidedAt: new Date(test.T0), attemptNumber: 1, policyName: "default", policyVersion: 1 },
			explanation,
		});
		const { removedOffer } = await avoidedEmissions(books, day);
		expect(removedOffer).toMatchObject({ jobs: 1, gpuMs: BigInt(HOUR_MS), actualMilligrams: 65_636n });
		expect(removedOffer?.counterfactualMilligrams).not.toBe(65_636n);
		expect(removedOffer?.calculation).toContain("cheapest fitting offer that a rule or a fact removed");
		expect((await avoidedEmissions(scientist("vision"), day)).removedOffer).toBeNull();
	});

	it("are empty when nothing ran in a cloud", async () => {
		await test.addPool(books);
		expect(await avoidedEmissions(books, day)).toMatchObject({ home: null, removedOffer: null });
	});
});

describe("grid intensity by place and hour", () => {
	it("shows measured hours, forecasts for future hours and the yearly average elsewhere, cleanest place first", async () => {
		await books.db
			.insert(site)
			.values({ id: "aws", name: "AWS", provider: "aws", settings: { regions: ["us-east-1", "eu-north-1", "ca-west-1"] } });
		await anHourOfBoth();
		const at = (hour: number) => new Date(test.T0 + hour * HOUR_MS).toISOString();
		const text = `zone,ts,g_per_kwh\nDE,${at(0)},100\nDE,${at(5)},90\n`;
		await importIntensity(books, { text, source: "test" });
		const { places, dayStartMs } = await gridView(books, day);
		expect(dayStartMs).toBe(Date.UTC(2026, 10, 10));
		expect(places.map((p) => [p.siteId, p.region, p.hadWork, p.meanGramsPerKwh === null])).toEqual([
			["aws", "eu-north-1", false, false],
			["local", "", true, false],
			["aws", "us-east-1", true, false],
			["aws", "ca-west-1", false, true],
		]);
		const home = places.find((p) => p.siteId === "local");
		expect(home?.cells.filter((c) => c.basis !== "average").map((c) => [c.hourMs, c.gramsPerKwh, c.basis])).toEqual([
			[test.T0, 100, "hour"],
			[test.T0 + 5 * HOUR_MS, 90, "forecast"],
		]);
		expect(home?.cells).toHaveLength(24);
	});
});

describe("the page", () => {
	it("is one response, by day up to 92 days and by month beyond", async () => {
		await anHourOfBoth();
		const page = await carbonPage(books, { ...day, groupBy: "accelerator" });
		expect(page.series.groupBy).toBe("day");
		expect(page.groups.items.map((i) => i.key)).toEqual(["A10G-24GB"]);
		const year = await carbonPage(books, { fromMs: day.toMs - 365 * DAY_MS, toMs: day.toMs });
		expect(year.series.groupBy).toBe("month");
		expect(year.series.items.map((i) => i.key)).toEqual(["2026-11-01"]);
	});
});
