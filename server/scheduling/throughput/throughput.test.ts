import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { decide } from "../decide.ts";
import { aJob, anOffer, aSnapshot } from "../testing/builders.ts";
import type { Snapshot } from "../types.ts";
import { medianSpeedOn, speedsBy, timeAt } from "./run-speeds.ts";
import { ThroughputBook } from "./throughput-book.ts";
import type { ThroughputPrior, ThroughputStat, ThroughputView } from "./types.ts";

/** FAST is about 4 × as fast as SLOW; OTHER 2 ×. */
const prior: ThroughputPrior = {
	accelerators: ["SLOW", "FAST", "OTHER"],
	logMean: [0, Math.log(4), Math.log(2)],
	covariance: [
		[0, 0, 0],
		[0, 0.09, 0.06],
		[0, 0.06, 0.09],
	],
};
const view = (...stats: ThroughputStat[]): ThroughputView => ({ anchor: { accelerator: "SLOW", speed: 1 }, prior, stats });
const job = (name = "train-1", throughput?: Record<string, number>) => ({
	name,
	team: "risk",
	nodes: 1,
	resources: { gpus: 1 },
	...(throughput && { throughput }),
});
const stat = (accelerator: string, rate: number, given: Partial<ThroughputStat> = {}): ThroughputStat => ({
	team: "risk",
	namePattern: "train-",
	gpus: 1,
	accelerator,
	kind: "rate",
	runs: 5,
	meanLogRate: Math.log(rate),
	variance: 0.001,
	...given,
});

describe("speeds of a job", () => {
	it("are the public figures before anything is known, uncertain except for the reference", () => {
		const speeds = speedsBy(view(), job());
		expect(speeds.on("SLOW")).toMatchObject({ timeFactor: 1, logSd: 0, source: null });
		expect(speeds.on("FAST")).toMatchObject({ source: "prior", logSd: 0.3 });
		expect(speeds.on("FAST").timeFactor).toBeCloseTo(0.25 * Math.exp(0.045), 6);
		expect(speeds.on("NEW")).toMatchObject({ source: "prior", runs: 0 });
	});

	it("are what the family's own runs measured, whatever the prior", () => {
		const speeds = speedsBy(view(stat("SLOW", 10), stat("FAST", 15)), job());
		expect(speeds.on("FAST")).toMatchObject({ source: "measured", runs: 5 });
		expect(speeds.on("FAST").speed).toBeCloseTo(1.5, 1);
		// Accelerators correlated with FAST are learned with it.
		expect(speeds.on("OTHER").source).toBe("learned");
		expect(speeds.on("OTHER").speed).toBeLessThan(speedsBy(view(), job()).on("OTHER").speed);
	});

	it("draw less on a user's other jobs, and least on other teams", () => {
		const seen = (given: Partial<ThroughputStat>) => [stat("SLOW", 1, given), stat("FAST", 1.5, given)];
		const speed = (...stats: ThroughputStat[]) => speedsBy(view(...stats), { ...job("new-1"), user: "ada" }).on("FAST").speed;
		const user = speed(...seen({ namePattern: "other-", user: "ada" }));
		const team = speed(...seen({ namePattern: "other-" }));
		const company = speed(...seen({ namePattern: "other-", team: "vision" }));
		expect([user, team, company].map((s) => s.toFixed(2))).toEqual(
			[user, team, company].toSorted((a, b) => a - b).map((s) => s.toFixed(2)),
		);
		expect(company).toBeLessThan(speed());
	});

	it("follow what the job file declares, in any unit", () => {
		for (const unit of [1, 1000]) {
			const speeds = speedsBy(view(), job("train-1", { FAST: 3 * unit, SLOW: 2 * unit }));
			expect(speeds.on("FAST").source).toBe("declared");
			expect(speeds.on("FAST").speed).toBeCloseTo(1.6, 0);
		}
	});

	it("are certain where the family ran, and uncertain elsewhere", () => {
		const speeds = speedsBy(view(stat("FAST", 7)), job());
		expect(speeds.on("FAST").logSd).toBe(0);
		expect(speeds.on("SLOW").logSd).toBeCloseTo(0.3, 2);
	});

	it("learn ratios from run times, which show little until there are many", () => {
		const runs = (count: number) => [
			stat("SLOW", 1, { kind: "duration", runs: count, variance: 0.25 }),
			stat("FAST", 2, { kind: "duration", runs: count, variance: 0.25 }),
		];
		const [few, many] = [2, 200].map((count) => speedsBy(view(...runs(count)), job()).on("FAST").speed);
		expect(many).toBeCloseTo(2, 1);
		expect(few).toBeGreaterThan(2.5);
	});
});

it("takes the spread of the work and of the speed together for P90", () => {
	const rest = { p50Ms: HOUR_MS, p90Ms: 2 * HOUR_MS };
	const known = timeAt(rest, { timeFactor: 0.5, logMedian: Math.log(2), logSd: 0, speed: 2, source: "measured", runs: 3 });
	expect(known).toEqual({ p50Ms: HOUR_MS / 2, p90Ms: HOUR_MS });
	const unsure = timeAt(rest, { timeFactor: 0.5, logMedian: 0, logSd: 0.5, speed: 2, source: "prior", runs: 0 });
	expect(unsure.p90Ms).toBeGreaterThan(known.p90Ms);
});

it("sums up runs by family and accelerator, and returns the same list until one is added", () => {
	const book = new ThroughputBook();
	for (const ratePerHour of [1, 4]) book.add({ job: job(`train-${ratePerHour}`), accelerator: "FAST", kind: "rate", ratePerHour });
	const [only] = book.read();
	expect(only).toMatchObject({ namePattern: "train-", accelerator: "FAST", runs: 2 });
	expect(only?.meanLogRate).toBeCloseTo(Math.log(2), 9);
	expect(only?.variance).toBeCloseTo(2 * Math.log(2) ** 2, 9);
	expect(book.read()).toBe(book.read());
	expect(medianSpeedOn(view(...book.read()), job(), "FAST")).toBeGreaterThan(0);
});

describe("the choice of an offer", () => {
	const { policy } = parsePolicy(
		"apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: p }\nspec:\n  rules:\n    - { id: go, burst: { always: true } }\n  weights: { delayUsdPerHour: 0, carbonUsdPerTonne: 0 }\n",
	);
	const offerOn = (accelerator: string, usd: string) =>
		anOffer({ instanceType: accelerator, accelerator, microUsdPerHour: usdToMicro(usd), capacityType: "on_demand" });
	const chosen = (stats: ThroughputStat[], change: Partial<Snapshot> = {}, spec: object = {}) => {
		const pending = aJob("train-9")
			.estimate(2 * HOUR_MS)
			.build();
		const snapshot = aSnapshot({
			...(policy && { policy }),
			pools: [],
			pending: [{ ...pending, spec: { ...pending.spec, ...spec } }],
			offers: [offerOn("SLOW", "1"), offerOn("FAST", "3"), offerOn("OTHER", "3")],
			throughput: view(...stats),
			...change,
		});
		const plan = decide(snapshot, { explain: new Set(["job_train-9"]) });
		const [action] = plan.actions;
		return { accelerator: action?.kind === "launch" ? action.offer.accelerator : null, action, explanation: plan.explanations[0] };
	};

	it("is based on the cost of the work, not of the hour", () => {
		expect(chosen([]).accelerator).toBe("FAST");
		expect(chosen([], { throughput: undefined } as never).accelerator).toBe("SLOW");
	});

	it("explains the speed and its source", () => {
		const { action, explanation } = chosen([stat("SLOW", 1), stat("FAST", 4), stat("OTHER", 1)]);
		expect(action?.reason.facts).toMatchObject({ accelerator: "FAST", speedSource: "measured", speedRuns: 5 });
		const fast = explanation?.candidates.find((c) => c.placement.accelerator === "FAST");
		const slow = explanation?.candidates.find((c) => c.placement.accelerator === "SLOW");
		expect(fast).toMatchObject({ speedSource: "measured" });
		expect(Number(fast?.speed)).toBeCloseTo(4, 0);
		const runMs = (c: typeof fast): number => (c ? c.finish.p50Ms - c.start.p50Ms : 0);
		expect(runMs(slow) / HOUR_MS).toBeCloseTo(2, 1);
		expect(runMs(fast)).toBeLessThan(0.6 * HOUR_MS);
	});

	it("excludes an accelerator on which the job would exceed its longest run time", () => {
		const cheap = [offerOn("SLOW", "5"), offerOn("TINY", "0.01")];
		const slow = stat("TINY", 0.3);
		const limited = { duration: { estimateMs: 2 * HOUR_MS, maxMs: 4 * HOUR_MS } };
		expect(chosen([stat("SLOW", 1), slow], { offers: cheap }).accelerator).toBe("TINY");
		const { accelerator, explanation } = chosen([stat("SLOW", 1), slow], { offers: cheap }, limited);
		expect(accelerator).toBe("SLOW");
		expect(explanation?.candidates.find((c) => c.placement.accelerator === "TINY")?.removedBy?.why).toBe("too_slow");
	});

	it("tries an unseen accelerator only within the share that trials may cost", () => {
		const known = (runs: number) => [stat("FAST", 4, { runs })];
		// OTHER is expected to cost 1.5 times as much as FAST for this work; it might be better.
		expect(chosen(known(30)).action?.reason.facts["trial"]).toBe(true);
		expect(chosen([]).action?.reason.facts["trial"]).toBeUndefined();
		const dear = [offerOn("FAST", "3"), offerOn("OTHER", "60")];
		expect(chosen(known(30), { offers: dear }).accelerator).toBe("FAST");
	});
});

describe("rates that jobs report", () => {
	const rate = (accelerator: string, perSecond: number, unit: string) => stat(accelerator, perSecond, { unit });
	const positive = fc.double({ min: 0.01, max: 10_000, noNaN: true });
	const ratio = fc.double({ min: 0.25, max: 16, noNaN: true });

	it("property: teach their ratio, in any unit", () => {
		fc.assert(
			fc.property(positive, ratio, (perSecond, times) => {
				const learned = (scale: number) =>
					speedsBy(view(rate("SLOW", perSecond * scale, "samples/s"), rate("FAST", perSecond * times * scale, "samples/s")), job()).on(
						"FAST",
					);
				expect(learned(1).source).toBe("measured");
				expect(Math.abs(learned(1).logMedian - Math.log(times))).toBeLessThan(0.05);
				expect(learned(1_000).logMedian).toBeCloseTo(learned(1).logMedian, 6);
			}),
			{ numRuns: cases(40, 400) },
		);
	});

	it("property: teach nothing across units, however far apart their numbers are", () => {
		fc.assert(
			fc.property(positive, positive, (samples, tokens) => {
				const speeds = speedsBy(view(rate("SLOW", samples, "samples/s"), rate("FAST", tokens, "tokens/s")), job());
				expect(speeds.on("FAST").logMedian).toBeCloseTo(Math.log(4), 2);
			}),
			{ numRuns: cases(40, 400) },
		);
	});

	it("teach nothing that no pair of accelerators can be, to no family", () => {
		const absurd = view(rate("SLOW", 1e-9, "samples/s"), rate("FAST", 1e300, "samples/s"));
		for (const asked of [job(), { ...job(), team: "other" }])
			expect(speedsBy(absurd, asked).on("FAST").logMedian).toBeCloseTo(speedsBy(view(), asked).on("FAST").logMedian, 6);
	});
});
