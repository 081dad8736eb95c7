import type { WorkloadClass } from "#server/domain/vocabulary.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";

/** A pipeline that a team runs repeatedly: runs of one family are similar. All figures are invented. */
export interface Family {
	/** Runs are named `<name><number>`. */
	name: string;
	team: string;
	project: string;
	class: WorkloadClass;
	command: string[];
	gpus: number;
	/** Empty: any. */
	accelerators: string[];
	/** Run time: log-normal with this median and this sigma of its logarithm. */
	medianMs: number;
	sigma: number;
	/** People's estimate is this times the median; null: none. */
	estimateFactor: number | null;
	/** Maximum run time; null: none. */
	maxMs: number | null;
	checkpoint: boolean;
	/** Time to copy its data in. */
	stagingMs: number;
	/** Deadline this long after submitting; null: none. */
	deadlineMs: number | null;
	priority: number;
	/** Mean number of runs by day of the week. */
	perWorkday: number;
	perWeekendDay: number;
	/** People submit through the working day; pipelines at this hour of the day, UTC. */
	nightlyAtHour: number | null;
	failShare: number;
	cancelShare: number;
}

const USUAL = {
	accelerators: [] as string[],
	sigma: 0.55,
	estimateFactor: 1.1,
	maxMs: null,
	checkpoint: true,
	stagingMs: 40_000,
	deadlineMs: null,
	priority: 50,
	perWeekendDay: 0.2,
	nightlyAtHour: null,
	failShare: 0.07,
	cancelShare: 0.03,
};

const SPREAD = ["L40S-48GB", "A10G-24GB", "L4-24GB"];

/** The demo's five teams. */
export const FAMILIES: readonly Family[] = [
	{
		...USUAL,
		name: "fraud-v",
		team: "risk",
		project: "fraud",
		class: "burst",
		command: ["python", "train.py", "--task", "fraud"],
		gpus: 1,
		accelerators: SPREAD,
		medianMs: 130 * MINUTE_MS,
		perWorkday: 3,
	},
	{
		...USUAL,
		name: "aml-graph-",
		team: "risk",
		project: "aml",
		class: "sensitive",
		command: ["python", "graph.py"],
		gpus: 2,
		medianMs: 220 * MINUTE_MS,
		perWorkday: 1.5,
		perWeekendDay: 1.5,
	},
	{
		...USUAL,
		name: "scorecard-nightly-",
		team: "risk",
		project: "scoring",
		class: "baseline",
		command: ["python", "score.py", "--all"],
		gpus: 2,
		medianMs: 300 * MINUTE_MS,
		sigma: 0.3,
		deadlineMs: 9 * HOUR_MS,
		priority: 70,
		perWorkday: 1,
		perWeekendDay: 1,
		nightlyAtHour: 20,
		failShare: 0.03,
		cancelShare: 0,
	},
	{
		...USUAL,
		name: "clip-adapt-",
		team: "vision",
		project: "clip",
		class: "experimental",
		command: ["torchrun", "adapt.py"],
		gpus: 1,
		accelerators: SPREAD,
		medianMs: 110 * MINUTE_MS,
		sigma: 0.7,
		perWorkday: 3.2,
		perWeekendDay: 1,
		failShare: 0.14,
		cancelShare: 0.08,
	},
	{
		...USUAL,
		name: "defect-seg-v",
		team: "vision",
		project: "inspection",
		class: "burst",
		command: ["python", "segment.py", "--amp"],
		gpus: 2,
		medianMs: 190 * MINUTE_MS,
		perWorkday: 0.8,
	},
	{
		...USUAL,
		name: "ocr-batch-",
		team: "vision",
		project: "documents",
		class: "batch_inference",
		command: ["python", "ocr.py", "--shards", "64"],
		gpus: 1,
		medianMs: 75 * MINUTE_MS,
		sigma: 0.3,
		perWorkday: 2,
		perWeekendDay: 2,
		nightlyAtHour: 1,
		checkpoint: false,
		maxMs: 110 * MINUTE_MS,
	},
	{
		...USUAL,
		name: "demand-tft-",
		team: "forecasting",
		project: "demand",
		class: "baseline",
		command: ["python", "tft.py", "--horizon", "28"],
		gpus: 1,
		medianMs: 170 * MINUTE_MS,
		sigma: 0.35,
		deadlineMs: 8 * HOUR_MS,
		priority: 65,
		perWorkday: 2,
		perWeekendDay: 2,
		nightlyAtHour: 3,
		failShare: 0.03,
		cancelShare: 0,
	},
	{
		...USUAL,
		name: "price-elast-",
		team: "forecasting",
		project: "pricing",
		class: "burst",
		command: ["python", "elasticity.py"],
		gpus: 1,
		medianMs: 45 * MINUTE_MS,
		perWorkday: 1.5,
		estimateFactor: null,
		checkpoint: false,
		maxMs: 110 * MINUTE_MS,
	},
	{
		...USUAL,
		name: "esm-fold-",
		team: "genomics",
		project: "folding",
		class: "batch_inference",
		command: ["python", "fold.py", "--model", "esm2"],
		gpus: 1,
		accelerators: ["L40S-48GB", "A10G-24GB"],
		medianMs: 330 * MINUTE_MS,
		sigma: 0.4,
		perWorkday: 2,
		perWeekendDay: 3,
		nightlyAtHour: 21,
	},
	{
		...USUAL,
		name: "variant-call-",
		team: "genomics",
		project: "variants",
		class: "sensitive",
		command: ["python", "call_variants.py"],
		gpus: 1,
		medianMs: 200 * MINUTE_MS,
		perWorkday: 2.2,
		perWeekendDay: 1.6,
		estimateFactor: 1.4,
	},
	{
		...USUAL,
		name: "sweep-lr-",
		team: "research",
		project: "sweeps",
		class: "experimental",
		command: ["python", "sweep.py"],
		gpus: 1,
		medianMs: 50 * MINUTE_MS,
		sigma: 0.6,
		perWorkday: 2.4,
		perWeekendDay: 0.6,
		failShare: 0.12,
		cancelShare: 0.1,
		checkpoint: false,
		maxMs: 105 * MINUTE_MS,
		priority: 40,
	},
	{
		...USUAL,
		name: "lm-pretrain-",
		team: "research",
		project: "small-lm",
		class: "burst",
		command: ["torchrun", "--nproc-per-node=4", "pretrain.py"],
		gpus: 4,
		medianMs: 270 * MINUTE_MS,
		sigma: 0.45,
		perWorkday: 0.12,
		perWeekendDay: 0.6,
		priority: 45,
	},
	{
		...USUAL,
		name: "reward-eval-",
		team: "research",
		project: "small-lm",
		class: "burst",
		command: ["python", "evaluate.py", "--fp8"],
		gpus: 1,
		accelerators: ["H100-80GB"],
		medianMs: 35 * MINUTE_MS,
		sigma: 0.4,
		perWorkday: 0.35,
		perWeekendDay: 0.05,
		maxMs: 90 * MINUTE_MS,
		estimateFactor: 1,
	},
];
