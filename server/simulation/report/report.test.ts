import { describe, expect, it } from "vitest";
import { SpillwayError } from "#server/kernel/errors.ts";
import { replayWithSeries } from "#server/simulation/replay/replay-with-series.ts";
import type { ShippedFacts } from "#server/simulation/scenario-file/context.ts";
import { parseScenario } from "#server/simulation/scenario-file/read-scenario.ts";
import { parseTrace } from "#server/simulation/trace-file/read-trace.ts";
import { describeRun, describeScenario, describeTrace, reportJson, type SimulationReport } from "./build-report.ts";
import { chooseRuns } from "./choose-runs.ts";
import { count, duration } from "./figures.ts";
import { jobsThatFit } from "./jobs-that-fit.ts";
import { ProgressBar } from "./progress-bar.ts";
import { renderReport } from "./render-report.ts";

/** Two GPUs at home, and a cloud with two for a tenth of a cent per second. */
const SCENARIO = `
apiVersion: spillway/v1
kind: Scenario
metadata: { name: by-hand }
spec:
  start: 2026-01-01T00:00:00Z
  pools: [{ id: home, accelerator: X, nodes: 1, gpusPerNode: 2, usdPerGpuHour: 1, wattsPerGpu: 1000, pue: 1, gridGramsPerKwh: 360 }]
  offers:
    - { provider: aws, region: r, instanceType: two, accelerator: X, gpus: 2, capacityType: on_demand, usdPerHour: 3.6, billedMinimum: 0s }
  boot: 60s
  boardWatts: { X: 400 }
`;
const TRACE = `job_id,submit_s,duration_s,gpus,group,deadline_s,deadline_kind
a,0,100,2,risk,,
b,10,50,1,risk,120,strict
c,20,200,2,vision,,
d,30,20,1,vision,,
`;
const NO_FACTS: ShippedFacts = {
	offers: () => [],
	ownedRate: () => null,
	onPremisesPue: 1.58,
	gridZone: () => null,
	acceleratorsNamed: () => [],
	boardWatts: {},
	throughputPrior: { accelerators: [], logMean: [], covariance: [] },
};

function simulate(...strategies: string[]): SimulationReport {
	return simulatePolicies({ strategies, policies: [] }, "");
}

function simulatePolicies(asked: Parameters<typeof chooseRuns>[0], policyText: string): SimulationReport {
	const trace = parseTrace(TRACE, "trace.csv");
	const { scenario, files } = parseScenario(SCENARIO, { facts: NO_FACTS, name: "s.yaml", open: () => "" });
	return {
		...{ apiVersion: "spillway/v1", kind: "SimulationReport", version: "0", seed: scenario.seed },
		trace: describeTrace(trace, { file: "trace.csv", sha256: "0", withoutPlace: 0 }),
		scenario: describeScenario(scenario, "s.yaml", files),
		runs: chooseRuns(asked, () => policyText).map(({ choice, policy }) =>
			describeRun(policy, replayWithSeries(trace.jobs, scenario, choice), false),
		),
	};
}

describe("four jobs by hand", () => {
	const { runs, trace } = simulate("owned_fifo", "overflow_on_demand");
	it("in order of submission: a from 0, b from 100, c when b is done at 150, d behind c at 350", () => {
		// waits 0, 90, 130, 320; ends 100, 150, 350, 370
		expect(runs[0]?.report).toMatchObject({
			...{ strategy: "owned_fifo", jobs: 4, jobsDone: 4, meanWaitS: 135, p50WaitS: 90, p95WaitS: 320 },
			...{ meanTimeToModelS: 227.5, p50TimeToModelS: 140, p95TimeToModelS: 340 },
			// 200 + 50 + 400 + 20 GPU-seconds of 2 × 370, each at 360 g for 3,600 W-hours
			...{ ownedUtilisation: 0.905, emissionsKg: 0.067, cloudCostUsd: 0, cloudGpuHours: 0 },
			...{ strictMisses: 1, avoidableStrictMisses: 1 },
		});
	});
	it("overflowing: b, c and d rent for 110, 260 and 80 seconds and wait for the boot alone", () => {
		expect(runs[1]?.report).toMatchObject({
			...{ strategy: "overflow_on_demand", meanWaitS: 45, p50WaitS: 60, p95WaitS: 60, meanTimeToModelS: 137.5 },
			// 450 s × $0.001; two GPUs each
			...{ cloudCostUsd: 0.45, cloudGpuHours: 0.25, cloudGpuHoursByCapacityType: { on_demand: 0.25 }, strictMisses: 0 },
		});
	});
	it("by day, team and class", () => {
		expect(runs[1]?.report.series).toEqual({
			days: [
				{
					date: "2026-01-01",
					// 200 + 50 + 400 + 20 and 200 GPU-seconds of 86,400
					...{ demandGpus: 0.008, ownedGpus: 0.002 },
					cloudGpusByCapacityType: { reserved: 0, on_demand: 0.01, spot: 0 },
					cloudCostUsdByCapacityType: { reserved: 0, on_demand: 0.45, spot: 0 },
				},
			],
			teams: [
				{ name: "risk", jobs: 2, jobsDone: 2, meanWaitS: 30, p50WaitS: 0, p95WaitS: 60, meanTimeToModelS: 105 },
				{ name: "vision", jobs: 2, jobsDone: 2, meanWaitS: 60, p50WaitS: 60, p95WaitS: 60, meanTimeToModelS: 170 },
			],
			classes: [{ name: "burst", jobs: 4, jobsDone: 4, meanWaitS: 45, p50WaitS: 60, p95WaitS: 60, meanTimeToModelS: 137.5 }],
		});
	});
	it("the trace in figures: 200 + 50 + 400 + 20 GPU-seconds", () => {
		expect(trace).toMatchObject({ jobs: 4, gpuHours: 0.186, teams: 2, strictDeadlines: 1, softDeadlines: 0 });
	});
});

describe("the report", () => {
	it("has the same bytes for the same inputs, and no clock in it", () => {
		const once = reportJson(simulate());
		expect(reportJson(simulate())).toBe(once);
		expect(once).not.toMatch(/replaySeconds|decisionsPerSecond/);
	});
	it("reads well", async () => {
		await expect(renderReport(simulate("owned_fifo", "owned_backfill", "overflow_on_demand"))).toMatchFileSnapshot("golden/four-jobs.txt");
	});
	it("shows the waits of burst jobs and the money of kept machines when a policy keeps some", () => {
		const policy = `apiVersion: spillway/v1
kind: Policy
metadata: { name: kept }
spec:
  rules:
    - { id: now, burst: { always: true } }
    - id: ready
      prewarm:
        { machines: 1, accelerator: X, gpus: 2, state: running, monthlyUsd: 100, hours: { days: [thu], from: "00:00", to: "24:00" } }
`;
		const report = simulatePolicies({ strategies: ["owned_fifo"], policies: ["kept.yaml"] }, policy);
		const [, kept] = report.runs;
		expect(kept?.report.keptWarmUsd).toBeGreaterThan(0);
		const text = renderReport(report);
		expect(text).toMatch(/ burst p95 .*\nowned_fifo .* - /);
		expect(text).toMatch(/ cloud \$ {2}kept ready \$ /);
		expect(renderReport(simulate("owned_fifo"))).not.toMatch(/burst p95|kept ready/);
	});
	it("shows two units of a duration, and few digits of a figure", () => {
		expect([0.4, 59, 61, 3_600, 90_061, 1_000_000].map(duration)).toEqual(["0s", "59s", "1m1s", "1h", "1d1h", "11d14h"]);
		expect([0, 7, 0.123, 99.999, 12_345.678].map(count)).toEqual(["0", "7", "0.12", "100.00", "12,346"]);
	});
});

describe("what is replayed", () => {
	const POLICY = "apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: p }\nspec: { rules: [] }\n";
	const names = (strategies: string[], policies: string[]): string[] =>
		chooseRuns({ strategies, policies }, () => POLICY).map((run) => run.choice.name);
	it("is every rule of thumb when none is named, then each policy", () => {
		expect(names([], [])).toEqual(
			expect.arrayContaining(["owned_fifo", "owned_backfill", "cloud_on_demand", "overflow_on_demand", "eager_spot"]),
		);
		expect(names(["eager_spot"], ["a/x.yaml"])).toEqual(["eager_spot", "spillway"]);
		expect(names(["spillway"], ["x.yaml", "y.yml", "x.yaml"])).toEqual(["spillway:x", "spillway:y"]);
		expect(names(["spillway"], ["a/x.yaml", "b/x.yaml"])).toEqual(["spillway:a/x.yaml", "spillway:b/x.yaml"]);
	});
	it.each([
		[["eager_sopt"], [], 'there is no strategy "eager_sopt".', "Did you mean eager_spot?"],
		[["spillway"], [], "--strategy spillway decides by a policy, and none was given.", "Give --policy FILE."],
		[[""], [], 'there is no strategy "".', "Use one of:"],
	])("cannot be %j with %j", (strategies, policies, message, fix) => {
		expect(() => chooseRuns({ strategies, policies }, () => "")).toThrow(
			expect.objectContaining({ message: expect.stringContaining(message), fix: expect.stringContaining(fix) }),
		);
	});
	it("comes with the warnings of a policy", () => {
		const source = POLICY.replace("rules: []", "rules: [{ id: go, burst: { always: true } }]");
		expect(chooseRuns({ strategies: ["spillway"], policies: ["p.yaml"] }, () => source)[0]?.warnings).toEqual([
			expect.stringMatching(/^p\.yaml, line 4, column \d+: Jobs can burst and no budget caps the cost\. Add a budget/),
		]);
	});
	it("names line and column of a policy that cannot be read", () => {
		const source = POLICY.replace("rules: []", "rules: [], budget: []");
		try {
			chooseRuns({ strategies: [], policies: ["p.yaml"] }, () => source);
			expect.unreachable();
		} catch (error) {
			if (!(error instanceof SpillwayError)) throw error;
			expect([error.message, error.fix]).toEqual([
				"The policy p.yaml, line 4, column 20: spec.budget is not a known field.",
				"Did you mean budgets?",
			]);
		}
	});
});

describe("jobs that no place can hold", () => {
	const jobs = parseTrace("job_id,submit_s,duration_s,gpus,gpu_type\n1,0,9,2,\n2,0,9,3,\n3,0,9,1,Y\n4,0,9,1,Y|X\n", "t").jobs;
	const idsOf = (spec: (source: string) => string): string[] => {
		const { scenario } = parseScenario(spec(SCENARIO), { facts: NO_FACTS, name: "s.yaml", open: () => "" });
		return jobsThatFit(jobs, scenario).map((job) => job.id);
	};
	it("are those for another accelerator, and those too large for a gang too", () => {
		expect(idsOf((source) => source)).toEqual(["1", "2", "4"]);
		expect(idsOf((source) => source.replace("gpus: 2,", "gpus: 2, gangs: false,"))).toEqual(["1", "4"]);
		expect(idsOf((source) => source.replace(/ {2}offers:\n.*\n/, ""))).toEqual(["1", "4"]);
	});
});

describe("jobs that wait for what never comes", () => {
	it("end the replay with what may be wrong, instead of going on forever", () => {
		const { scenario } = parseScenario(SCENARIO.replace("on_demand", "spot").replace(/ {2}pools:.*\n/, ""), {
			facts: NO_FACTS,
			name: "s",
			open: () => "",
		});
		const [offer] = scenario.offers;
		const never = { traceId: "never", startsMs: [0], available: [false], lengthMs: 1000, offsetMs: 0 };
		const empty = { ...scenario, availability: new Map([[offer?.id ?? "", never]]) };
		const rules = "rules: [{ id: go, burst: { always: true } }]";
		const [run] = chooseRuns(
			{ strategies: ["spillway"], policies: ["p"] },
			() => `apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: p }\nspec: { ${rules} }\n`,
		);
		const { jobs } = parseTrace("job_id,submit_s,duration_s,gpus\n1,0,60,1\n", "t");
		expect(() => replayWithSeries(jobs, empty, run?.choice ?? { name: "none", policy: null }, { stalledReports: 3 })).toThrow(
			"1 jobs wait for something that never happens",
		);
	});
});

describe("the progress bar", () => {
	const drawn = (isTTY: boolean, enabled = true): string[] => {
		const lines: string[] = [];
		let nowMs = 0;
		const bar = new ProgressBar({ write: (text) => lines.push(text), isTTY }, { enabled, nowMs: () => nowMs });
		for (let done = 0; done <= 100; done++) {
			bar.draw("x", done, 100);
			nowMs += 10;
		}
		bar.clear();
		return lines;
	};
	it("is one line on a terminal, drawn ten times a second and at the end", () => {
		const lines = drawn(true);
		expect(lines).toHaveLength(12);
		expect(lines[5]).toContain(`${"█".repeat(12)}${"░".repeat(12)}  50%  x`);
		expect(lines[10]).toContain("100%");
	});
	it("is nothing elsewhere, or when it is turned off", () => {
		expect([drawn(false), drawn(true, false)]).toEqual([[], []]);
	});
});
