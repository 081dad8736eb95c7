import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideStops } from "#server/domain/pipeline/stop-rule.ts";
import type { Policy } from "#server/domain/policy.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { replay } from "#server/simulation/replay/replay.ts";
import { aReplayPolicy } from "#server/simulation/replay/testing/small.ts";
import type { ReplayedPipeline, ReplayReport, ReplayScenario } from "#server/simulation/replay/types.ts";
import type { ShippedFacts } from "#server/simulation/scenario-file/context.ts";
import { parseScenario, readScenarioFile } from "#server/simulation/scenario-file/read-scenario.ts";
import { readTextFile } from "#server/simulation/trace-file/read-trace.ts";
import { chooseRuns } from "./choose-runs.ts";
import { requirePlacesForPipelines } from "./jobs-that-fit.ts";

const NO_FACTS: ShippedFacts = {
	offers: () => [],
	ownedRate: () => null,
	onPremisesPue: 1.58,
	gridZone: () => null,
	acceleratorsNamed: () => [],
	boardWatts: { "A100-80GB": 400 },
	throughputPrior: { accelerators: [], logMean: [], covariance: [] },
};
const example = (name: string): string => new URL(`../../../examples/simulate/${name}`, import.meta.url).pathname;

/** Two GPUs at home, and a cloud with two for $3.60 an hour. */
const SCENARIO = `apiVersion: spillway/v1
kind: Scenario
metadata: { name: by-hand }
spec:
  start: 2026-01-01T00:00:00Z
  pools: [{ id: home, accelerator: X, nodes: 1, gpusPerNode: 2, usdPerGpuHour: 1, wattsPerGpu: 1000, pue: 1, gridGramsPerKwh: 360 }]
  offers:
    - { provider: aws, region: r, instanceType: two, accelerator: X, gpus: 2, capacityType: on_demand, usdPerHour: 3.6, billedMinimum: 0s }
  boot: 60s
  pipelines:
`;
const PIPELINE = `apiVersion: spillway/v1
kind: Pipeline
metadata: { name: two, team: risk }
spec:
  steps:
    - { name: train, foreach: [a, b], job: { command: ["true"], resources: { gpus: 2 }, duration: { estimate: 1h, max: 2h } } }
    - { name: report, needs: [train], job: { command: ["true"], resources: { gpus: 1 }, duration: { estimate: 30m, max: 1h } } }
`;
const HOME_ONLY = aReplayPolicy("    - { id: stay, deny: { sites: [cloud] } }");
const ALWAYS = aReplayPolicy("    - { id: go, burst: { always: true } }");

function scenarioOf(entries: string, pipeline = PIPELINE, scenario = SCENARIO): ReplayScenario {
	return parseScenario(scenario + entries, { facts: NO_FACTS, name: "s.yaml", open: () => pipeline }).scenario;
}

function run(scenario: ReplayScenario, policy: Policy, events: string[] = []): ReplayReport & { pipelines: ReplayedPipeline[] } {
	const report = replay(
		[],
		scenario,
		{ name: "spillway", policy },
		{
			// Ends a replay if jobs wait for something that never comes.
			untilMs: scenario.startMs + 30 * 24 * HOUR_MS,
			onEvent: (_atMs, what, about) => events.push(`${what} ${"job" in about ? about.job.id : about.id}`),
		},
	);
	return { ...report, pipelines: report.pipelines ?? [] };
}

describe("the example with one deadline for each graph", () => {
	const [choice] = chooseRuns({ strategies: ["spillway"], policies: [example("policy.yaml")] }, (file) => readTextFile(file, "policy"));
	const replayed = (seed: number, name = "spillway") => {
		const { scenario } = readScenarioFile(example("pipelines.yaml"), { facts: NO_FACTS, seed });
		return replay([], scenario, name === "spillway" && choice ? choice.choice : { name, policy: null });
	};
	it.each(Array.from({ length: cases(2, 30) }, (_, i) => i + 1))("is met on interrupted spot, cheaper than on demand (seed %i)", (seed) => {
		const spillway = replayed(seed);
		expect(spillway.pipelines?.map(({ state, deadlineMet, avoidableMiss }) => ({ state, deadlineMet, avoidableMiss }))).toEqual(
			Array.from({ length: 5 }, () => ({ state: "succeeded", deadlineMet: true, avoidableMiss: false })),
		);
		expect(spillway.interruptions).toBeGreaterThan(0);
		expect(spillway.cloudGpuHoursByCapacityType["spot"]).toBeGreaterThan(0);
		expect(spillway.cloudCostUsd).toBeLessThan(replayed(seed, "overflow_on_demand").cloudCostUsd);
	});
	it("is missed by owned machines alone, which is avoidable", () => {
		expect(replayed(1, "owned_fifo").pipelines?.map(({ avoidableMiss }) => avoidableMiss)).toEqual(Array.from({ length: 5 }, () => true));
	});
	it("has the same bytes for the same seed", () => {
		const bytes = ({ decisionsPerSecond: _rate, replaySeconds: _seconds, ...report }: ReplayReport): string => JSON.stringify(report);
		expect(bytes(replayed(9))).toBe(bytes(replayed(9)));
	});
});

describe("a pipeline by hand", () => {
	const entry = "    - { file: two.yaml, submit: 10m, deadline: 3h, runTimes: { train: 1h, report: 30m } }\n";
	it("starts a step when every run that it needs has ended", () => {
		const events: string[] = [];
		const [pipeline] = run(scenarioOf(entry), HOME_ONLY, events).pipelines;
		expect(events).toEqual([
			...["submitted two/train-1", "submitted two/train-2", "placed_home two/train-1"],
			...["finished two/train-1", "placed_home two/train-2", "finished two/train-2"],
			...["submitted two/report", "placed_home two/report", "finished two/report"],
		]);
		expect(pipeline).toEqual({
			...{ name: "two", state: "succeeded", refusal: null, runs: 3, runsSucceeded: 3, runsStopped: 0, cloudCostUsd: 0 },
			...{ submittedAt: "2026-01-01T00:10:00.000Z", startedAt: "2026-01-01T00:10:00.000Z", finishedAt: "2026-01-01T02:40:00.000Z" },
			...{ deadlineAt: "2026-01-01T03:10:00.000Z", deadlineMet: true, avoidableMiss: false },
			// 2 GPUs for 2 h and 1 for 30 min, at 1 kW and 360 g/kWh
			emissionsKg: 1.62,
		});
	});
	it("charges what its jobs cost", () => {
		const report = run(scenarioOf(entry), ALWAYS);
		expect(report.pipelines[0]?.cloudCostUsd).toBe(report.cloudCostUsd);
		expect(report.strictMisses).toBe(0);
	});
	it("counts a miss as avoidable if dedicated machines would have met the deadline", () => {
		const missed = (deadline: string) => run(scenarioOf(entry.replace("3h", deadline)), HOME_ONLY).pipelines[0];
		// Both runs at once need 1 h, and the report 30 min.
		expect(missed("90m")).toMatchObject({ deadlineMet: false, avoidableMiss: true });
		expect(missed("89m")).toMatchObject({ deadlineMet: false, avoidableMiss: false });
		const inTurn = PIPELINE.replace("spec:\n", "spec:\n  parallel: 1\n");
		expect(run(scenarioOf(entry.replace("3h", "90m"), inTurn), HOME_ONLY).pipelines[0]).toMatchObject({ avoidableMiss: false });
	});
	it("skips a step if its condition does not hold", () => {
		const skipped = PIPELINE.replace("needs: [train],", "needs: [train], when: 'needs.train.failed > 0',");
		expect(run(scenarioOf(entry, skipped), HOME_ONLY).pipelines[0]).toMatchObject({ state: "succeeded", runs: 3, runsSucceeded: 2 });
	});
	it("is submitted repeatedly, each time with its own deadline", () => {
		const { pipelines } = run(scenarioOf(entry.replace("deadline", "every: 1d, times: 2, deadline")), HOME_ONLY);
		expect(pipelines.map(({ name, deadlineAt }) => [name, deadlineAt])).toEqual([
			...[["two-1", "2026-01-01T03:10:00.000Z"] as const, ["two-2", "2026-01-02T03:10:00.000Z"] as const],
		]);
	});
	it("is one line of the same file, written in the scenario", () => {
		const lines = PIPELINE.split("\n").map((line) => `        ${line}`);
		const inline = `    - runTimes: { train: 1h, report: 30m }\n      document:\n${lines.join("\n")}\n`;
		expect(scenarioOf(inline).pipelines?.[0]?.spec).toEqual(scenarioOf(entry.replace(" deadline: 3h,", "")).pipelines?.[0]?.spec);
	});
});

describe("results between steps", () => {
	const passing = PIPELINE.replace(
		'["true"], resources: { gpus: 2 }',
		'["true"], outputs: [{ name: model, path: out, kind: model }], resources: { gpus: 2 }',
	).replace("needs: [train], job: {", "job: { data: [{ from: train.model, mount: /models }],");
	const linked = SCENARIO.replace("usdPerHour: 3.6,", "usdPerHour: 3.6, egressUsdPerGiB: 0.1,").replace(
		"  pipelines:",
		'  data: { links: [{ to: "aws:r", mibPerS: 100 }] }\n  pipelines:',
	);
	const away = linked.replace(/ {2}pools: .*\n/, "");
	const entry = (resultGiB: string) => `    - { file: two.yaml, runTimes: { train: 1h, report: 30m }${resultGiB} }\n`;
	const inCloud = (resultGiB: string) => run(scenarioOf(entry(resultGiB), passing, away), ALWAYS);

	it("take the time and money that moving them to a cloud and home takes", () => {
		const [free, moved] = [inCloud(""), inCloud(", resultGiB: { train.model: 10 }")];
		// Two models of 10 GiB at 100 MiB/s.
		const laterS = 2 * 102.4;
		const endS = ({ pipelines }: typeof free) => Date.parse(pipelines[0]?.finishedAt ?? "") / 1_000;
		expect(endS(moved) - endS(free)).toBeCloseTo(laterS, 0);
		// The longer rent of two GPUs, and 20 GiB sent home.
		expect(moved.cloudCostUsd - free.cloudCostUsd).toBeCloseTo((laterS / 3_600) * 3.6 + 20 * 0.1, 2);
	});
	it("cost nothing at home", () => {
		const atHome = (resultGiB: string) => run(scenarioOf(entry(resultGiB), passing, linked), HOME_ONLY).pipelines;
		expect(atHome(", resultGiB: { train.model: 10 }")).toEqual(atHome(""));
	});
	it("are not read from a run that failed", () => {
		const always = passing.replace("- { name: report,", "- { name: report, when: 'true',");
		const seen: (string | undefined)[][] = [];
		const scenario = scenarioOf(entry(", resultGiB: { train.model: 10 }, exitCodes: { train-2: [1] }"), always, away);
		replay(
			[],
			scenario,
			{ name: "spillway", policy: ALWAYS },
			{ onRelease: ({ recorded }) => seen.push(recorded?.spec.data.map(({ mount }) => mount) ?? []) },
		);
		expect(seen).toEqual([[], [], ["/models/train-1"]]);
	});
});

describe("exit codes", () => {
	const entry = (exitCodes: string) => `    - { file: two.yaml, runTimes: { train: 1h, report: 30m }, exitCodes: ${exitCodes} }\n`;
	const retried = PIPELINE.replace("name: train,", "name: train, retry: 1,");
	it("repeat a run with retry, each time for its whole run time", () => {
		const [pipeline] = run(scenarioOf(entry("{ train-2: [7, 0] }"), retried), HOME_ONLY).pipelines;
		expect(pipeline).toMatchObject({ state: "succeeded", runsSucceeded: 3, finishedAt: "2026-01-01T03:30:00.000Z" });
	});
	it("skip the steps that need a failed one, and let conditions see the code", () => {
		expect(run(scenarioOf(entry("{ train: [7] }"), retried), HOME_ONLY).pipelines).toMatchObject([{ state: "failed", runsSucceeded: 0 }]);
		const repaired = PIPELINE.replace("needs: [train],", "needs: [train], when: 'needs.train.exit == 7',");
		expect(run(scenarioOf(entry("{ train-1: [7] }"), repaired), HOME_ONLY).pipelines).toMatchObject([
			{ state: "failed", runsSucceeded: 2 },
		]);
		expect(run(scenarioOf(entry("{ train-1: [6] }"), repaired), HOME_ONLY).pipelines).toMatchObject([
			{ state: "failed", runsSucceeded: 1 },
		]);
	});
});

describe("conditions over reports", () => {
	const when = (condition: string) =>
		PIPELINE.replace(
			'["true"], resources: { gpus: 2 }',
			'["true"], outputs: [{ name: model, path: out, keep: 30d }], resources: { gpus: 2 }',
		).replace("needs: [train],", `needs: [train], when: '${condition}',`);
	const linked = SCENARIO.replace("  pipelines:", '  data: { links: [{ to: "aws:r", mibPerS: 100 }] }\n  pipelines:');
	const succeeded = (condition: string, reported: string) => {
		const entry = `    - { file: two.yaml, runTimes: { train: 1h, report: 30m }, ${reported} }\n`;
		return run(scenarioOf(entry, when(condition), linked), HOME_ONLY).pipelines[0]?.runsSucceeded;
	};
	it("see the last metrics of each run", () => {
		const metrics = "metrics: { train: { loss: 0.4 }, train-2: { loss: 0.9 } }";
		expect(succeeded("needs.train.min.loss < 0.5 && needs.train.max.loss > 0.8", metrics)).toBe(3);
		expect(succeeded("needs.train.max.loss < 0.5", metrics)).toBe(2);
		expect(succeeded("needs.train.min.accuracy > 0", metrics)).toBe(2);
	});
	it("see the size of all results, those of failed runs excepted", () => {
		const sizes = "resultGiB: { train.model: 10 }";
		const read = "needs.train.results.model > 15";
		expect([succeeded(read, sizes), succeeded(read, `${sizes}, exitCodes: { train-2: [1] }`)]).toEqual([3, 1]);
	});
});

describe("a sweep that stops by a metric", () => {
	const sweep = (spec: string) => `apiVersion: spillway/v1
kind: Sweep
metadata: { name: rates, team: risk }
spec:
  grid: { rate: [1, 2, 3, 4, 5, 6] }
  ${spec}
  job: { command: ["true"], resources: { gpus: 2 }, duration: { estimate: 1h, max: 3h } }
`;
	/** Each trial takes an hour and reports once in 15 minutes. */
	const entry = (curves: readonly (readonly number[])[]) =>
		`    - { file: s.yaml, metric: { ${curves.map((values, i) => `trial-${i + 1}: [${values.join(", ")}]`).join(", ")} } }\n`;
	const curvesOf = (ends: readonly number[]) => ends.map((end) => [end + 3, end + 2, end + 1, end]);
	const median = "stop: { metric: loss, goal: minimize, rule: median, warmup: 2 }";
	/** Steps that stopped trials had reached. */
	const reachedBefore = new Map<number, number>();
	/** An attempt that ends, and its job, are an event each. */
	const stoppedIn = (events: readonly string[]) =>
		[...new Set(events.flatMap((event) => /^withdrawn rates\/trial-(\d)$/.exec(event)?.[1] ?? []))].sort();

	it.each(["spillway", "overflow_on_demand", "owned_fifo", "owned_backfill", "eager_spot", "pull", "uniform_progress"])(
		"stops trials by the live rule, under %s",
		(name) => {
			const scenario = scenarioOf(
				entry(curvesOf([1, 2, 3, 4, 5, 6])),
				sweep(median),
				SCENARIO.replace("gpusPerNode: 2", "gpusPerNode: 12"),
			);
			const choice = name === "spillway" ? { name, policy: HOME_ONLY } : { name, policy: null };
			const [pipeline] = replay([], scenario, choice).pipelines ?? [];
			expect(pipeline).toMatchObject({ state: "succeeded", runs: 6, runsSucceeded: 2, runsStopped: 4 });
			// Home has room for two at a time, so a target also ends jobs in a queue.
			const target = sweep("stop: { metric: loss, goal: minimize, rule: none, target: 2 }");
			const few = scenarioOf(entry(curvesOf([9, 1, 9, 9, 9, 9])), target, SCENARIO.replace("gpusPerNode: 2", "gpusPerNode: 4"));
			expect(replay([], few, choice).pipelines).toMatchObject([{ state: "succeeded", runsSucceeded: 1, runsStopped: 5 }]);
		},
	);

	it("property: stops what the rule stops when all trials report at the same time", () => {
		const trial = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 4, maxLength: 4 });
		const rules = fc.constantFrom(median, "stop: { metric: loss, goal: maximize, rule: halving, warmup: 1, reduction: 2 }");
		fc.assert(
			fc.property(fc.array(trial, { minLength: 6, maxLength: 6 }), rules, (curves, rule) => {
				const events: string[] = [];
				const scenario = scenarioOf(entry(curves), sweep(rule), SCENARIO.replace("gpusPerNode: 2", "gpusPerNode: 12"));
				const [pipeline] = run(scenario, HOME_ONLY, events).pipelines;
				const { stop } = scenario.pipelines?.[0]?.spec ?? {};
				if (!stop) throw new Error("the sweep has no rule");
				const expected = new Set<number>();
				// Before its end, each trial reports three values, one after the other at each moment.
				for (let step = 1; step < 4; step++)
					for (let upTo = 0; upTo < curves.length; upTo++) {
						if (expected.has(upTo)) continue;
						const trials = curves.map((values, index) => {
							const seen = expected.has(index) ? (reachedBefore.get(index) ?? 0) : index <= upTo ? step : step - 1;
							return {
								index,
								isRunning: !expected.has(index),
								points: values.slice(0, seen).map((value, at) => ({ step: at + 1, value })),
							};
						});
						for (const { index } of decideStops(stop, trials).stops) {
							expected.add(index);
							reachedBefore.set(index, index <= upTo ? step : step - 1);
						}
					}
				reachedBefore.clear();
				expect(stoppedIn(events)).toEqual([...expected].map((index) => String(index + 1)).sort());
				expect(pipeline?.runsStopped).toBe(expected.size);
			}),
			{ numRuns: cases(20, 200) },
		);
	});

	it("ends when a trial reaches the target: running trials stop, and waiting ones never start", () => {
		const events: string[] = [];
		const target = "parallel: 2\n  stop: { metric: loss, goal: minimize, rule: none, target: 2 }";
		const scenario = scenarioOf(entry(curvesOf([9, 1, 9, 9, 9, 9])), sweep(target), SCENARIO.replace("gpusPerNode: 2", "gpusPerNode: 4"));
		const [pipeline] = run(scenario, HOME_ONLY, events).pipelines;
		expect(pipeline).toMatchObject({ state: "succeeded", runsSucceeded: 1, runsStopped: 5, finishedAt: "2026-01-01T01:00:00.000Z" });
		expect(stoppedIn(events)).toEqual(["1"]);
	});

	it("costs less than one that runs to its end", () => {
		const cost = (spec: string) =>
			run(scenarioOf(spec === "" ? "    - { file: s.yaml }\n" : entry(curvesOf([1, 2, 3, 4, 5, 6])), sweep(spec)), ALWAYS);
		expect(cost(median).cloudCostUsd).toBeLessThan(cost("").cloudCostUsd);
	});
});

describe("one hold", () => {
	/** Nothing is owned, so every step is quoted in the cloud. */
	const cloud = (entries: string, pipeline = PIPELINE) => scenarioOf(entries, pipeline, SCENARIO.replace(/ {2}pools: .*\n/, ""));
	const two = "    - { file: two.yaml }\n    - { file: two.yaml, name: later, submit: 1m }\n";
	const capped = (usd: number): Policy => ({
		...ALWAYS,
		budgets: ALWAYS.budgets.map((rule) => ({ ...rule, capMicroUsd: BigInt(usd) * 1_000_000n })),
	});
	it("refuses a pipeline with a worst case above what a budget has left, and never strands one half-way", () => {
		const states = (usd: number) => run(cloud(two), capped(usd)).pipelines.map(({ state }) => state);
		expect(states(10)).toEqual(["refused", "refused"]);
		expect(states(35)).toEqual(["succeeded", "refused"]);
		expect(states(1_000)).toEqual(["succeeded", "succeeded"]);
	});
	it("refuses a pipeline with a worst case above its own budget", () => {
		const [pipeline] = run(cloud("    - { file: two.yaml }\n", PIPELINE.replace("spec:\n", "spec:\n  budgetUsd: 1\n")), ALWAYS).pipelines;
		expect(pipeline).toMatchObject({ state: "refused", startedAt: null, finishedAt: null });
		expect(pipeline?.refusal).toMatch(/^it may spend up to \$[\d.]+, more than its budget of \$1/);
	});
	it("releases everything at the end", () => {
		const again = "    - { file: two.yaml, times: 4, every: 1d }\n";
		expect(run(cloud(again), capped(55)).pipelines.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => "succeeded"));
	});
});

describe("mistakes in a scenario's pipelines", () => {
	const first = SCENARIO.split("\n").length;
	it.each([
		["    - { submit: 1h }\n", PIPELINE, `line ${first}, column 7: spec.pipelines.0: needs either file or document.`],
		["    - { file: two.yaml, times: 2 }\n", PIPELINE, "spec.pipelines.0.times: needs a time between two submissions."],
		["    - { file: two.yaml, runTimes: { trian: 1h } }\n", PIPELINE, "spec.pipelines.0.runTimes.trian: two has no step or run trian."],
		[
			"    - { file: two.yaml, resultGiB: { train.model: 1 } }\n",
			PIPELINE,
			"spec.pipelines.0.resultGiB.train.model: two has no result train.model.",
		],
		["    - { file: two.yaml, metric: { train: [1] } }\n", PIPELINE, "spec.pipelines.0.metric: two stops no trial by a metric."],
		["    - { file: two.yaml, exitCodes: { trian: [1] } }\n", PIPELINE, "spec.pipelines.0.exitCodes.trian: two has no step or run trian."],
		["    - { file: two.yaml }\n", PIPELINE.replace("estimate: 30m, ", ""), "step report has no run time."],
		["    - { file: two.yaml, runTimes: { train-2: 3h } }\n", PIPELINE, "train-2 runs for 3h, longer than its maximum of 2h."],
		[
			"    - { file: two.yaml }\n",
			PIPELINE.replace("needs: [train]", "needs: [trian]"),
			"two.yaml, line 7, column 31: spec.steps.1.needs.0",
		],
		["    - { file: two.yaml }\n    - { file: two.yaml }\n", PIPELINE, "there is a pipeline two already."],
		["    - { document: { kind: Pipeline } }\n", PIPELINE, "spec.pipelines.0.document"],
	])("%j", (entries, pipeline, message) => {
		expect(() => scenarioOf(entries, pipeline)).toThrow(expect.objectContaining({ message: expect.stringContaining(message) }));
	});
	it("include a step that fits no place", () => {
		const scenario = scenarioOf("    - { file: two.yaml }\n", PIPELINE.replace("gpus: 1", "gpus: 4"));
		expect(() => requirePlacesForPipelines(scenario)).toThrow("Step report of two fits no pool and no offer of the scenario.");
	});
});

it("gives steps shares of the time left that end with the deadline", () => {
	const scenario = scenarioOf("    - { file: two.yaml, deadline: 6h }\n");
	const shares: number[] = [];
	replay(
		[],
		scenario,
		{ name: "spillway", policy: HOME_ONLY },
		{
			onRelease: ({ submitMs, deadlineMs }) => shares.push((submitMs + (deadlineMs ?? 0)) / MINUTE_MS),
		},
	);
	const [first = 0, second, last] = shares;
	expect(first).toBe(second);
	expect(first).toBeGreaterThan(HOUR_MS / MINUTE_MS);
	expect(first).toBeLessThan(6 * 60 - 30);
	expect(last).toBeLessThanOrEqual(6 * 60);
});
