import { describe, expect, it } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import type { PipelineSpec, StepSpec } from "#server/domain/pipeline/pipeline.ts";
import { defined } from "#server/kernel/assert.ts";
import { complete } from "#server/kernel/in-parts.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { canEverBurst } from "../burst.ts";
import { decide } from "../decide.ts";
import { makeRunTimeOf } from "../run-time.ts";
import { aBudget, aJob, anOffer, aPolicy, aPool, aSnapshot, BURST_AFTER_10S, burstRule } from "../testing/builders.ts";
import type { Snapshot, TimeSpread } from "../types.ts";
import { deadlineOfStep, findCriticalPath } from "./critical-path.ts";
import { quoteGraph as graphInParts, type QuotedStep, quoteRun, type RunQuote } from "./quote-graph.ts";
import { quoteSpec } from "./quote-spec.ts";

const hours = (p50: number, p90 = p50) => ({ p50Ms: p50 * HOUR_MS, p90Ms: p90 * HOUR_MS });
const step = (name: string, needs: string[] = [], retry = 0): StepSpec => ({ name, needs, when: null, retry, inputs: [], runs: [] });
const quoted = (run: TimeSpread, more: Partial<RunQuote> = {}, mostMs = Number.POSITIVE_INFINITY): RunQuote => ({
	...{
		outcome: "launch",
		placement: null,
		wait: hours(0),
		run: { ...run, mostMs },
		cashMicroUsd: 0n,
		worstMicroUsd: 0n,
		emissionsGrams: null,
	},
	...more,
});

const quoteGraph = (...given: Parameters<typeof graphInParts>) => complete(graphInParts(...given));

describe("the critical path", () => {
	// prepare (1 h) → train (3 h) → report (1 h), and prepare → check (1 h) → report.
	const paths = findCriticalPath([
		{ needs: [], ...hours(1) },
		{ needs: [0], ...hours(3, 6) },
		{ needs: [0], ...hours(1) },
		{ needs: [1, 2], ...hours(1) },
	]);

	it("is the longest chain, and other steps have slack", () => {
		expect(paths.map(({ isCritical }) => isCritical)).toEqual([true, true, false, true]);
		expect(paths.map(({ slackMs }) => slackMs / HOUR_MS)).toEqual([0, 0, 2, 0]);
		expect(paths.map(({ restMs }) => restMs / HOUR_MS)).toEqual([4, 1, 1, 0]);
		expect(paths[0]?.restSpreadMs).toBe(3 * HOUR_MS);
	});

	it("gives slack to the uncertain steps, and divides time in proportion when there is none", () => {
		const share = (runMs: number, spreadMs: number, restSpreadMs: number) => ({ runMs, restMs: HOUR_MS, spreadMs, restSpreadMs });
		// Two hours of slack; the step has three quarters of the uncertainty.
		expect(deadlineOfStep(share(HOUR_MS, 3, 1), 4 * HOUR_MS, 0)).toBe(2.5 * HOUR_MS);
		expect(deadlineOfStep(share(HOUR_MS, 0, 1), 4 * HOUR_MS, 0)).toBe(HOUR_MS);
		expect(deadlineOfStep(share(HOUR_MS, 0, 0), 4 * HOUR_MS, 0)).toBe(2 * HOUR_MS);
		expect(deadlineOfStep(share(HOUR_MS, 3, 1), HOUR_MS, 0)).toBe(HOUR_MS / 2);
		expect(deadlineOfStep(share(HOUR_MS, 3, 1), HOUR_MS, 2 * HOUR_MS)).toBe(HOUR_MS);
	});
});

describe("the quote of a graph", () => {
	const spec = (steps: StepSpec[], more: Partial<PipelineSpec> = {}) => ({ steps, deadlineMs: null, parallel: null, ...more });

	it("adds up money and times along the longest chain", () => {
		const steps = [step("a"), step("b", ["a"], 1), step("c", ["a"])];
		const quote = quoteGraph(
			spec(steps),
			({ name }) => [quoted(hours(name === "b" ? 2 : 1), { cashMicroUsd: 5n, worstMicroUsd: 10n, emissionsGrams: 2 })],
			0,
		);
		expect(quote).toMatchObject({ expectedMicroUsd: 15n, maximumMicroUsd: 40n, emissionsGrams: 6, deadlineRisk: null });
		expect(quote.finish).toEqual(hours(3));
		expect(quote.steps.map(({ start }) => start.p50Ms / HOUR_MS)).toEqual([0, 1, 1]);
	});

	it("is later than the median chain when several uncertain steps must all end", () => {
		const wide = Array.from({ length: 20 }, (_, i) => step(`s${i}`));
		const { finish } = quoteGraph(spec(wide), () => [quoted(hours(1, 2))], 0);
		// The median of the latest of twenty is the 96.6th percentile of one: e^(ln 2 / 1.2816 × 1.825) h.
		expect(finish.p50Ms / HOUR_MS).toBeGreaterThan(2.3);
		expect(finish.p50Ms / HOUR_MS).toBeLessThan(3.1);
		const runs = quoteGraph(spec([step("s")]), () => Array.from({ length: 20 }, () => quoted(hours(1, 2))), 0);
		expect(runs.finish.p50Ms / HOUR_MS).toBeCloseTo(2.68, 1);
	});

	it("never expects a run to pass the job's maximum, however many run", () => {
		const runs = Array.from({ length: 200 }, () => quoted(hours(1, 40), {}, 3 * HOUR_MS));
		const { finish } = quoteGraph(spec([step("s")], { parallel: 100 }), () => runs, 0);
		expect([finish.p50Ms, finish.p90Ms]).toEqual([4 * HOUR_MS, 4 * HOUR_MS]);
	});

	it("includes the chance of missing the deadline, and waits when few may run at a time", () => {
		const chain = [step("a")];
		const risk = (deadlineMs: number) => quoteGraph(spec(chain, { deadlineMs }), () => [quoted(hours(1, 2))], 0).deadlineRisk;
		expect(risk(HOUR_MS)).toBeCloseTo(0.5, 1);
		expect(risk(2 * HOUR_MS)).toBeCloseTo(0.1, 1);
		const waves = quoteGraph(spec(chain, { parallel: 2 }), () => Array.from({ length: 6 }, () => quoted(hours(1))), 0);
		expect(waves.finish.p50Ms).toBe(3 * HOUR_MS);
	});

	it("includes the wait", () => {
		const quote = quoteGraph(spec([step("a"), step("b", ["a"])]), () => [quoted(hours(1), { wait: hours(0.5) })], 10 * MINUTE_MS);
		expect(quote.start.p50Ms).toBe(40 * MINUTE_MS);
		expect(quote.finish.p50Ms).toBe(3 * HOUR_MS + 10 * MINUTE_MS);
	});
});

describe("the quote of a step that cannot start now", () => {
	const quoteOf = (given: Partial<Snapshot>): RunQuote => {
		const job = aJob("step").build();
		const snapshot = aSnapshot({ offers: [anOffer()], pending: [job], ...given });
		const [explanation] = decide(snapshot, { asked: new Set([job.jobId]) }).explanations;
		if (!explanation) throw new Error("no explanation");
		const mayLeave = canEverBurst(judgeJob(snapshot.policy, job.spec).burst, false);
		const times = { runTime: makeRunTimeOf(snapshot.durations)(job.spec), runMaxMs: job.spec.duration.maxMs, nowMs: snapshot.nowMs };
		return quoteRun(explanation, { ...times, mayLeave });
	};
	const month = { policy: aPolicy({ budgets: [{ id: "month" }] }), budgets: [aBudget("month", { cap: 100, held: 100 })] };
	const busy = {
		pools: [aPool({ freeSlots: [] })],
		running: [0, 1, 2, 3].map((slot) => aJob(`old-${slot}`).running("home-a", [slot], 0)),
	};
	const free = quoteOf({ pools: [] });

	it("has the worst case of the cloud when the budget is too small and home cannot run it", () => {
		expect(free).toMatchObject({ outcome: "launch", placement: { capacityType: "on_demand" } });
		expect(free.worstMicroUsd).toBeGreaterThan(0n);
		expect(quoteOf({ ...month, pools: [] })).toEqual({ ...free, outcome: "hold" });
		expect(quoteOf({ ...month, budgets: [aBudget("month", { cap: 1 })], pools: [] })).toEqual({ ...free, outcome: "hold" });
	});

	it("costs nothing when no rule lets it leave, although home is unreachable", () => {
		const policy = aPolicy({ rules: [] });
		expect(quoteOf({ policy, pools: [aPool({ healthy: false })] })).toMatchObject({ outcome: "wait", placement: null, worstMicroUsd: 0n });
	});

	it("waits for home when the budget is too small and home can run it", () => {
		expect(quoteOf({ ...month, ...busy })).toMatchObject({ outcome: "hold", placement: { capacityType: "owned" }, worstMicroUsd: 0n });
	});

	it("has the worst case of the cloud when it waits for an approval or for capacity", () => {
		const ask = { kind: "require" as const, capacityType: null, approval: "finance" as const };
		const policy = aPolicy({ rules: [BURST_AFTER_10S, ["ask-first", null, ask]] });
		expect(quoteOf({ pools: [], policy })).toEqual({ ...free, outcome: "hold" });
		const offers = [anOffer({ backoffUntilMs: aSnapshot().nowMs + HOUR_MS })];
		expect(quoteOf({ pools: [], offers })).toEqual({ ...free, outcome: "wait" });
	});

	it("costs nothing when it can never run", () => {
		expect(quoteOf({ pools: [], offers: [] })).toMatchObject({ placement: null, worstMicroUsd: 0n });
	});
});

describe("the quote of a file", () => {
	const job = aJob("step").gpus(8).build().spec;
	const stepOf = (name: string, spec: JobSpec): StepSpec => ({ ...step(name), runs: [{ name, values: {}, job: spec }] });
	const rest = { kind: "Pipeline", name: "one", team: "risk", project: null, labels: {}, parameters: {}, budgetMicroUsd: null } as const;
	const quoteInParts = (steps: StepSpec[], deadlineMs: number | null, onAsked: (jobs: number) => void = () => {}) => {
		const policy = aPolicy({ rules: [["late", null, burstRule({ deadlineSlackMs: HOUR_MS })]] });
		const snapshot = aSnapshot({ policy, offers: [anOffer({ gpus: 8 })] });
		return quoteSpec({ ...rest, steps, deadlineMs, parallel: null }, snapshot, {
			...{ jobOf: (spec) => spec, seenAs: (spec) => spec },
			explain: (pending) => {
				onAsked(pending.length);
				const { explanations } = decide({ ...snapshot, pending: [...pending] }, { asked: new Set(pending.map(({ jobId }) => jobId)) });
				return (id) =>
					defined(
						explanations.find(({ jobId }) => jobId === id),
						"explanation",
					);
			},
		});
	};
	const quoteOf = (deadlineMs: number | null) => complete(quoteInParts([stepOf("train", job)], deadlineMs)).quote;

	it("is computed in small parts, and each step has the same quote as by itself", () => {
		const steps = Array.from({ length: 45 }, (_, i) =>
			stepOf(`s${i}`, { ...job, duration: { estimateMs: (i + 1) * MINUTE_MS, maxMs: (i + 2) * MINUTE_MS } }),
		);
		const deadlineMs = aSnapshot().nowMs + 2 * HOUR_MS;
		const asked: number[] = [];
		const work = quoteInParts(steps, deadlineMs, (jobs) => void asked.push(jobs));
		let parts = 0;
		let part = work.next();
		for (; !part.done; part = work.next()) parts++;
		expect(asked).toEqual([20, 20, 5]);
		expect(parts).toBeGreaterThan(2 * steps.length);
		const money = ({ maximumMicroUsd, expectedMicroUsd, placement }: QuotedStep) => ({ maximumMicroUsd, expectedMicroUsd, placement });
		const alone = steps.flatMap((one) => complete(quoteInParts([one], deadlineMs)).quote.steps.map(money));
		expect(part.value.quote.steps.map(money)).toEqual(alone);
		expect(new Set(alone.map(({ maximumMicroUsd }) => maximumMicroUsd)).size).toBe(steps.length);
	});

	it("has the worst case of a step that may leave only because of the deadline", () => {
		expect(quoteOf(null)).toMatchObject({ maximumMicroUsd: 0n, steps: [{ outcome: "fail" }] });
		const { maximumMicroUsd, steps: quotedSteps } = quoteOf(aSnapshot().nowMs + 2 * HOUR_MS);
		expect(quotedSteps).toMatchObject([{ outcome: "launch" }]);
		expect(maximumMicroUsd).toBeGreaterThan(0n);
	});
});
