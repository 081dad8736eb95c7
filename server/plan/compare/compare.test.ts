import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { acceleratorsNamed, listAccelerators } from "#server/rates/accelerators.ts";
import { averagePue, homeIntensity } from "#server/rates/carbon.ts";
import { catalogOffers } from "#server/rates/catalogue-offers.ts";
import { ownedRate } from "#server/rates/owned.ts";
import { throughputPrior } from "#server/rates/throughput.ts";
import { replayWithSeries } from "#server/simulation/replay/replay-with-series.ts";
import { sizedJobs } from "#server/simulation/report/sized-jobs.ts";
import { readScenarioFile } from "#server/simulation/scenario-file/read-scenario.ts";
import { parseTrace } from "#server/simulation/trace-file/read-trace.ts";
import { assess } from "../assess.ts";
import { headline } from "../headline.ts";
import { historyOf } from "../prepare.ts";
import { runStudy } from "../study.ts";
import { rangeOf, resampleWeeks } from "./bootstrap.ts";
import { buildScenario } from "./build-scenario.ts";
import { curveAt, type OptionMoney, type Outlook, paybackMonth, paymentsOf, presentValue } from "./finance.ts";
import { ownedMoney, purchaseMicroUsd, resaleMicroUsd, scaledCard, shippedCard, sumOwned } from "./owned-money.ts";
import { shippedPolicies } from "./policies.ts";
import { ownedGpus, withOwnedGpus } from "./resize.ts";

const START = Date.UTC(2026, 0, 5);
const FACTS = {
	offers: catalogOffers,
	ownedRate: () => ownedRate("A100-80GB"),
	onPremisesPue: averagePue("on_premises").pue,
	gridZone: (zone: string) => homeIntensity(zone)?.gramsPerKwh ?? null,
	acceleratorsNamed,
	throughputPrior: throughputPrior(),
	boardWatts: Object.fromEntries(listAccelerators().map((model) => [model.name, model.boardWatts])),
};
/** Two weeks of mornings with more work than 8 GPUs can do concurrently. */
const ROWS = Array.from({ length: 14 * 6 }, (_, i) => `j${i},${Math.floor(i / 6) * 86_400 + (i % 6) * 600},14400,4,u${i % 3},team${i % 2}`);
const TEXT = `job_id,submit_s,duration_s,gpus,user,group\n${ROWS.join("\n")}\n`;

function study(seed = 1) {
	const trace = parseTrace(TEXT, "t.csv");
	const assessment = assess(historyOf(trace, START), { source: "t.csv", gpus: 8 });
	const built = buildScenario({ gpus: 8, accelerator: "A100-80GB", startMs: START, seed, facts: FACTS });
	const card = shippedCard("A100-80GB", 8, START);
	return { jobs: trace.jobs, assessment, scenario: built.scenario, card, policy: null, texts: built.texts };
}

describe("comparing options", () => {
	const comparison = runStudy(study());
	const option = (id: string) => {
		const found = comparison.options.find((o) => o.id === id);
		if (!found) throw new Error(`no option ${id}`);
		return found;
	};

	it("gives the same bytes for the same seed, and different ones for another", () => {
		expect(JSON.stringify(runStudy(study()))).toBe(JSON.stringify(comparison));
		expect(JSON.stringify(runStudy(study(2)))).not.toBe(JSON.stringify(comparison));
	});
	it("costs as much as a simulation of the saved scenario, to the micro-dollar", () => {
		const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-plan-"));
		afterAll(() => rmSync(folder, { recursive: true }));
		const { texts, jobs } = study();
		for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(folder, name), text);
		const { scenario } = readScenarioFile(path.join(folder, "scenario.yaml"), { facts: FACTS });
		for (const { id, policy } of shippedPolicies()) {
			const report = replayWithSeries(jobs, scenario, { name: id, policy });
			const same = option(id === "balanced" ? "burst" : `burst_${id}`);
			expect(same.cost.cloudMicroUsd).toBe(report.cloudCostMicroUsd);
			expect(same.meanTimeToModelS).toBe(report.meanTimeToModelS);
		}
	});
	it("adds owned cost and cloud cost up to the total", () => {
		for (const { cost } of comparison.options) {
			const owned = [cost.depreciationMicroUsd, cost.powerMicroUsd, cost.spaceMicroUsd, cost.supportMicroUsd, cost.staffMicroUsd];
			expect(owned.reduce((sum, part) => sum + BigInt(part), 0n)).toBe(BigInt(cost.ownedMicroUsd));
			expect(BigInt(cost.ownedMicroUsd) + BigInt(cost.cloudMicroUsd)).toBe(BigInt(cost.totalMicroUsd));
		}
	});
	it("shortens waits by bursting and by buying, and rents nothing when it stays home", () => {
		expect(option("burst").meanWaitS).toBeLessThan(option("as_is").meanWaitS);
		expect(option("buy_8").meanWaitS).toBeLessThan(option("as_is").meanWaitS);
		expect([option("as_is").cost.cloudMicroUsd, option("buy_8").cost.cloudMicroUsd]).toEqual(["0", "0"]);
		expect(option("cloud_only").ownedUtilisation).toBe(0);
		expect(comparison.options.every(({ jobsDone }) => jobsDone === ROWS.length)).toBe(true);
	});
	it("draws the curve by owned GPUs, with its cheapest point", () => {
		const { points, minimumGpus } = comparison.curve;
		expect(points.map(({ gpus }) => gpus)).toEqual([...points.map(({ gpus }) => gpus)].sort((a, b) => a - b));
		const least = Math.min(...points.map(({ totalPerMonthUsd }) => totalPerMonthUsd));
		expect(points.find(({ gpus }) => gpus === minimumGpus)?.totalPerMonthUsd).toBe(least);
	});
	it("puts every range around its figure", () => {
		const burst = option("burst");
		expect(burst.ranges.cloudPerMonthUsd.low).toBeLessThanOrEqual(burst.perMonth.cloudUsd);
		expect(burst.ranges.cloudPerMonthUsd.high).toBeGreaterThanOrEqual(burst.perMonth.cloudUsd);
		expect(burst.finance.npvUsd).toBe(0);
	});
	it("requests a pilot when the history is short", () => {
		expect(comparison.decision.tests.find(({ test }) => test.includes("28 days"))?.passed).toBe(false);
		expect(comparison.decision.verdict).not.toBe("go");
	});
});

describe("jobs that scale", () => {
	const text = TEXT.replace("user,group", "user,group,parallel,scale_to").replaceAll(/(team\d)\n/g, "$1,0.95,32\n");
	const scaling = { ...study(), jobs: parseTrace(text, "t.csv").jobs };
	const comparison = runStudy(scaling);
	const option = (id: string) => comparison.options.find((o) => o.id === id);

	it("are replayed on more GPUs, as a separate option", () => {
		const [burst, scaled] = [option("burst"), option("burst_scaled")];
		expect(scaled?.jobsDone).toBe(burst?.jobsDone);
		expect(scaled?.meanTimeToModelS).toBeLessThan(burst?.meanTimeToModelS ?? 0);
		expect(comparison.curve.points.filter(({ gpus }) => gpus === 8)).toHaveLength(1);
	});
	it("cost as much as a simulation with the same prices, to the micro-dollar", () => {
		const [, balanced] = shippedPolicies();
		const { scenario, jobs } = scaling;
		const usdPerGpuHour = Math.min(...scenario.offers.map((o) => Number(o.microUsdPerHour) / 1e6 / o.gpus));
		const priced = { ...scenario, scaling: { usdPerGpuHour, usdPerHour: 5 } };
		const report = replayWithSeries(sizedJobs(jobs, priced), priced, { name: "balanced", policy: balanced?.policy ?? null });
		expect(option("burst_scaled")?.cost.cloudMicroUsd).toBe(report.cloudCostMicroUsd);
	});
});

describe("published claims", () => {
	it("are compared with replays of the same jobs, each with its command", () => {
		const options = { command: "again", oneJob: { scaling: { parallel: 0.5, upTo: 64 }, source: "test" } };
		const report = headline(study(), options);
		expect(report).toEqual(headline(study(), options));
		expect(report.results.map(({ id }) => id)).toEqual(["time_to_model", "compute_cost", "spot_under_cap", "one_job", "tco"]);
		const found = (id: string) => report.results.find((result) => result.id === id);
		// Half in parallel on 8 times the GPUs: 1/2 + 1/16 of the time, boots and lost work added.
		expect(found("one_job")).toMatchObject({ reached: false, basis: "replayed" });
		expect(found("one_job")?.measured).toBeGreaterThanOrEqual(-0.4375);
		expect(found("one_job")?.measured).toBeLessThan(-0.2);
		expect(found("time_to_model")?.measured).toBeLessThan(0);
		expect(found("spot_under_cap")?.measured).toBeLessThan(0);
	});
});

describe("owned money", () => {
	const card = shippedCard("A100-80GB", 8, START);
	it("equals the card's month, calculated by hand", () => {
		const span = { fromMs: START, toMs: START + 31 * 86_400_000 };
		const money = ownedMoney(card, span, 0);
		// Straight-line by days over the life (four years with a leap day), nothing left at its end.
		const [life, price] = [Date.UTC(2030, 0, 5) - START, purchaseMicroUsd(card)];
		expect(Number(money.depreciationMicroUsd)).toBeCloseTo((Number(price) * 31 * 86_400_000) / life, -2);
		expect(Number(money.staffMicroUsd)).toBeCloseTo((Number(card.card.perYear.staffUsd) * 1e6 * 31) / 365, -2);
		const { idleWattsPerGpu, pue, electricityUsdPerKwh } = card.card.power;
		const kwh = (8 * Number(idleWattsPerGpu) * Number(pue) * 31 * 24) / 1000;
		expect(Number(money.powerMicroUsd) / 1e6).toBeCloseTo(kwh * Number(electricityUsdPerKwh), 1);
	});
	it("doubles with twice the GPUs", () => {
		const span = { fromMs: START, toMs: START + 86_400_000 * 365 };
		const [once, twice] = [sumOwned(ownedMoney(card, span, 0)), sumOwned(ownedMoney(scaledCard(card, 16), span, 0))];
		expect(Number(twice) / Number(once)).toBeCloseTo(2, 6);
		expect(sumOwned(ownedMoney(scaledCard(card, 0), span, 0))).toBe(0n);
	});
	it("is worth nothing at the end of its life, and its price at the start", () => {
		expect(resaleMicroUsd(card, 48)).toBe(0n);
		expect(resaleMicroUsd(card, 0)).toBe(purchaseMicroUsd(card));
	});
	it("adds and removes nodes", () => {
		const { scenario } = study();
		expect([0, 8, 24].map((gpus) => ownedGpus(withOwnedGpus(scenario, gpus)))).toEqual([0, 8, 24]);
	});
});

describe("finance", () => {
	const outlook: Outlook = {
		...{ horizonMonths: 24, discountRate: 0.1, deliveryMonths: 0, growthPerYear: 0, cloudPriceChangePerYear: 0 },
		...{ demand: 1, cloudPrice: 1, power: 1, hardware: 1, interruptions: 1 },
	};
	const today: OptionMoney = {
		ownedGpus: 8,
		purchaseUsd: 0,
		resaleUsd: 0,
		fixedUsd: 10,
		powerUsd: 5,
		cloudUsd: 100,
		lostShare: 0,
		hasCloud: true,
	};
	const bought: OptionMoney = { ...today, ownedGpus: 16, purchaseUsd: 600, fixedUsd: 20, powerUsd: 10, cloudUsd: 20 };
	const context = {
		today,
		curve: [
			{ gpus: 0, cloudUsd: 300 },
			{ gpus: 8, cloudUsd: 100 },
			{ gpus: 16, cloudUsd: 20 },
		],
	};

	it("pays back when the savings reach the price", () => {
		const paid = (option: OptionMoney): number[] => {
			let sum = 0;
			return paymentsOf(option, context, outlook).map((payment) => (sum += payment));
		};
		// 115 a month against 50 a month and 600 at once: 600 ÷ 65 = 9.2 months.
		expect(paybackMonth(paid(bought), paid(today))).toBe(10);
		expect(paybackMonth(paid({ ...bought, purchaseUsd: 6000 }), paid(today))).toBeNull();
	});
	it("discounts month by month", () => {
		expect(presentValue([0, ...Array.from({ length: 11 }, () => 0), 110], 0.1)).toBeCloseTo(100, 9);
	});
	it("pays for today's cloud until the new GPUs are delivered", () => {
		const payments = paymentsOf(bought, context, { ...outlook, deliveryMonths: 2 });
		expect(payments.slice(0, 4)).toEqual([600, 115, 115, 50]);
	});
	it("reads the curve at the size that remains under a larger demand", () => {
		expect([0, 4, 12, 16, 100].map((gpus) => curveAt(context.curve, gpus))).toEqual([300, 200, 60, 20, 0]);
		const [, first] = paymentsOf(today, context, { ...outlook, demand: 2 });
		// Twice the work on 8 GPUs is twice the overflow of 4 GPUs: 2 × 200.
		expect(first).toBeCloseTo(15 + 400, 9);
	});
});

describe("resampled weeks", () => {
	const weeks = [1, 2, 3, 4].map((n) => ({ jobs: n, waitMs: n * 10, timeToModelMs: n * n * 100, cloudMicroUsd: n }));
	it("are the same draws for all options and for one seed", () => {
		const [a, b] = resampleWeeks([weeks, weeks], 7);
		expect(a).toEqual(b);
		expect(resampleWeeks([weeks], 7)).toEqual(resampleWeeks([weeks], 7));
		expect(resampleWeeks([weeks], 8)).not.toEqual(resampleWeeks([weeks], 7));
	});
	it("vary around the history", () => {
		const factors = (resampleWeeks([weeks], 7)[0] ?? []).map(({ cloudFactor }) => cloudFactor);
		const { low, high } = rangeOf(factors);
		expect(low).toBeLessThan(1);
		expect(high).toBeGreaterThan(1);
		expect(factors.reduce((sum, f) => sum + f, 0) / factors.length).toBeCloseTo(1, 1);
	});
});
