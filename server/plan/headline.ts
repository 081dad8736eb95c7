import type { Scaling } from "#server/domain/scaling.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { jobsThatFit } from "#server/simulation/report/jobs-that-fit.ts";
import { withSize } from "#server/simulation/report/sized-jobs.ts";
import { type OptionSpec, type RanOption, runSpec } from "./compare/options.ts";
import { ownedMoney, scaledCard, sumOwned } from "./compare/owned-money.ts";
import { homeOnly, type PlanPolicy, readPlanPolicy, shippedPolicies } from "./compare/policies.ts";
import { nodeGpus, ownedGpus, withOwnedGpus } from "./compare/resize.ts";
import { type OptionRun, runOption } from "./compare/run-option.ts";
import type { Study, StudyProgress } from "./study.ts";

/** A published claim compared with this history's result. Shares are changes: −0.4 is 40% less. */
export interface HeadlineResult {
	id: string;
	claim: string;
	/** From the strongest to the weakest claimed figure. */
	claimed: { from: number; to: number };
	measured: number | null;
	/** Whether it reaches at least the weakest figure. */
	reached: boolean | null;
	/** By the decision core. */
	basis: "replayed";
	how: string;
	command: string;
}

/** Output of `spillway plan headline --json`. */
export interface PlanHeadline {
	apiVersion: "spillway/v1";
	kind: "PlanHeadline";
	trace: string;
	seed: number;
	ownedGpus: number;
	peakGpus: number;
	results: HeadlineResult[];
}

export interface HeadlineOptions {
	/** How to reproduce the figures. */
	command: string;
	/** The job on more GPUs; `source` is the source of its scaling. */
	oneJob: SingleJob;
}

export interface SingleJob {
	scaling: Scaling;
	/** Absent: the GPUs of an owned node. */
	gpus?: number;
	/** Absent: LONG_JOB_MS. */
	durationMs?: number;
	source: string;
}

/** Assumptions for a job without data: the parallel share of data-parallel training, and the number of GPUs. */
const PARALLEL_PERCENT = 97;
const ASSUMED_GPUS = { before: 8, after: 64 } as const;

/** The job on more GPUs by Amdahl's law. @param percent its parallel share; absent: assumed. */
export function assumedJob(percent?: number): SingleJob {
	const parallel = (percent ?? PARALLEL_PERCENT) / 100;
	const source = `Amdahl's law with a parallel share of ${parallel}, ${percent === undefined ? "assumed" : "given"}`;
	return { scaling: { parallel, upTo: ASSUMED_GPUS.after }, gpus: ASSUMED_GPUS.before, source };
}

const CAP_USD = 50_000;
/** Hours of the claim. */
const LONG_JOB = { beforeHours: 72, afterHours: 18 } as const;

const policyText = (name: string, rules: string, budgets = ""): string => `apiVersion: spillway/v1
kind: Policy
metadata: { name: ${name} }
spec:
  rules:
    - id: burst
      burst: { after: { forecastWait: 30m } }
${rules}    - id: instance-life
      limit: { instanceHours: 720 }
${budgets}  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 0 }
`;
const required = (type: "spot" | "on_demand"): string => `    - id: one-capacity-type\n      require: { capacityType: ${type} }\n`;
const CAP = `  budgets:\n    - { id: cloud-month, scope: "true", period: month, capUsd: ${CAP_USD}, atCap: hold }\n`;

/** Replays what the claims need, and compares them. The same study gives the same result. */
export function headline(study: Study, options: HeadlineOptions, onProgress: (progress: StudyProgress) => void = () => {}): PlanHeadline {
	const { scenario, assessment } = study;
	const jobs = jobsThatFit(study.jobs, scenario);
	const specs = specsOf(study);
	const runs = new Map<string, RanOption>();
	for (const [i, spec] of specs.entries()) {
		const share = (done: number, total: number): number => (i + (total === 0 ? 1 : done / total)) / specs.length;
		runs.set(
			spec.id,
			runSpec(spec, jobs, scenario, (done, total) => onProgress({ label: spec.label, share: share(done, total) })),
		);
	}
	const money = moneyOf(study, specs, runs);
	const figures = figuresOf(runs, money, oneJobFigure(study, options.oneJob));
	return {
		apiVersion: "spillway/v1",
		kind: "PlanHeadline",
		...{ trace: assessment.history.source, seed: scenario.seed, ownedGpus: ownedGpus(scenario), peakGpus: peakOf(study) },
		results: figures.map((figure) => ({
			...figure,
			reached: figure.measured === null ? null : figure.measured <= figure.claimed.to + 1e-9,
			command: options.command,
		})),
	};
}

/** Owned GPUs that carry the work in 99% of the hours. */
function peakOf({ assessment, scenario }: Study): number {
	const line = assessment.demand.lines.find(({ shareOfHours }) => shareOfHours === 0.99)?.gpus ?? assessment.demand.peakGpus;
	const node = nodeGpus(scenario);
	return Math.max(ownedGpus(scenario), Math.ceil(line / node) * node);
}

function specsOf(study: Study): OptionSpec[] {
	const base = ownedGpus(study.scenario);
	const [, balanced] = shippedPolicies() as [PlanPolicy, PlanPolicy, PlanPolicy];
	const spec = (id: string, policy: PlanPolicy, gpus: number, hasCloud = true): OptionSpec => {
		return { id, label: id, kind: "burst", policy, ownedGpus: gpus, hasCloud };
	};
	const own = (id: string, text: string): PlanPolicy => readPlanPolicy(id, id, text);
	const onDemand = own(
		"on_demand",
		policyText("on-demand", required("on_demand")).replace("{ after: { forecastWait: 30m } }", "{ always: true }"),
	);
	return [
		spec("as_is", homeOnly(), base, false),
		spec("burst", balanced, base),
		spec("peak", homeOnly(), peakOf(study), false),
		spec("cloud_on_demand", onDemand, 0),
		spec("spot_capped", own("spot", policyText("spot-capped", required("spot"), CAP)), base),
	];
}

/** Full cost of each run, micro-dollars. */
function moneyOf({ card, assessment }: Study, specs: readonly OptionSpec[], runs: ReadonlyMap<string, RanOption>): Map<string, number> {
	const span = { fromMs: Date.parse(assessment.history.from), toMs: Date.parse(assessment.history.to) };
	return new Map(
		specs.map(({ id, ownedGpus: gpus }) => {
			const run = runs.get(id);
			const owned = sumOwned(ownedMoney(scaledCard(card, gpus), span, run?.homeGpuMs ?? 0));
			return [id, Number(owned + (run?.cloudMicroUsd ?? 0n))];
		}),
	);
}

type Figure = Omit<HeadlineResult, "reached" | "command">;

/** One job alone: on its requested GPUs, at home, and on the most that it scales to. Both are replayed. */
function oneJobFigure({ scenario, card }: Study, { scaling, source, ...given }: SingleJob): Figure {
	const gpus = given.gpus ?? nodeGpus(scenario);
	const durationMs = given.durationMs ?? LONG_JOB.beforeHours * HOUR_MS;
	const [, , eager] = shippedPolicies() as [PlanPolicy, PlanPolicy, PlanPolicy];
	const job = traceJobOf({ gpus, durationMs, accelerator: card.accelerator });
	const node = nodeGpus(scenario);
	const home = withOwnedGpus({ ...scenario, offers: [] }, Math.ceil(gpus / node) * node);
	const burst = { ...home, offers: scenario.offers };
	const wide = withSize(job, scaling, scaling.upTo);
	const before = jobsThatFit([job], home).length > 0 ? runOption([job], home, homeOnly()) : null;
	const after = jobsThatFit([wide], burst).length > 0 ? runOption([wide], burst, eager) : null;
	const hours = (run: OptionRun | null): number | null => (run && run.report.jobsDone === 1 ? run.report.meanTimeToModelS / 3600 : null);
	const [from, to] = [hours(before), hours(after)];
	const claimed = LONG_JOB.afterHours / LONG_JOB.beforeHours - 1;
	const words = (value: number | null, size: number): string =>
		`${value === null ? "cannot run" : `${value.toFixed(1)} h`} on ${size} GPUs`;
	return {
		...{ id: "one_job", claim: `One job from ${LONG_JOB.beforeHours} h to ${LONG_JOB.afterHours} h on more GPUs`, basis: "replayed" },
		claimed: { from: claimed, to: claimed },
		measured: from === null || to === null ? null : Math.round((to / from - 1) * 10_000) / 10_000,
		how: `${words(from, gpus)} at home, ${words(to, wide.gpus)} with bursting for $${(Number(after?.cloudMicroUsd ?? 0n) / 1e6).toFixed(0)} of cloud; no other jobs; ${source}`,
	};
}

function traceJobOf({ gpus, durationMs, accelerator }: { gpus: number; durationMs: number; accelerator: string }): TraceJob {
	return {
		...{ id: "one-job", submitMs: 0, durationMs, gpus, team: "one-job", user: null, accelerators: [accelerator] },
		...{ deadlineMs: null, deadlineKind: null, status: null, limitMs: null },
	};
}

function figuresOf(runs: ReadonlyMap<string, RanOption>, money: ReadonlyMap<string, number>, oneJob: Figure): Figure[] {
	const change = (now: number | undefined, then: number | undefined): number | null =>
		now === undefined || then === undefined || then === 0 ? null : Math.round((now / then - 1) * 10_000) / 10_000;
	const time = (id: string) => runs.get(id)?.report.meanTimeToModelS;
	const perHour = (id: string): number | undefined => {
		const run = runs.get(id);
		return run && run.report.cloudGpuHours > 0 ? Number(run.cloudMicroUsd) / run.report.cloudGpuHours : undefined;
	};
	return [
		{
			...{ id: "time_to_model", claim: "Mean time to model", claimed: { from: -0.6, to: -0.4 }, basis: "replayed" },
			...{ measured: change(time("burst"), time("as_is")), how: "bursting after 30 min of expected wait, compared with owned GPUs only" },
		},
		{
			...{ id: "compute_cost", claim: "Compute cost", claimed: { from: -0.6, to: -0.4 }, basis: "replayed" },
			...{
				measured: change(money.get("burst"), money.get("cloud_on_demand")),
				how: "full cost of owned GPUs and bursting, compared with on-demand only",
			},
		},
		{
			...{
				id: "spot_under_cap",
				claim: `Cloud cost of a GPU-hour on spot under a $${CAP_USD.toLocaleString("en-US")} monthly cap`,
				claimed: { from: -0.65, to: -0.65 },
			},
			...{
				basis: "replayed",
				measured: change(perHour("spot_capped"), perHour("cloud_on_demand")),
				how: "bursting on spot only, compared with the same jobs on demand only",
			},
		},
		oneJob,
		{
			...{ id: "tco", claim: "Total cost of owning for the peak", claimed: { from: -0.4, to: -0.4 }, basis: "replayed" },
			...{
				measured: change(money.get("burst"), money.get("peak")),
				how: "owned GPUs and bursting, compared with owning for the 99% line of demand",
			},
		},
	];
}
