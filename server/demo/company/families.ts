import { HOUR_MS } from "#server/kernel/units.ts";
import type { Family } from "../history/synthetic/workload-families.ts";

const USUAL = {
	sigma: 0.4,
	estimateFactor: 1.1,
	maxMs: null,
	checkpoint: true,
	stagingMs: 120_000,
	deadlineMs: null,
	priority: 50,
	nightlyAtHour: null,
	failShare: 0.05,
	cancelShare: 0.02,
};

type Shape = Pick<Family, "name" | "team" | "project" | "class" | "gpus" | "accelerators" | "perWorkday" | "perWeekendDay"> & {
	hours: number;
};

export function family({ hours, ...shape }: Shape, more: Partial<Family> = {}): Family {
	return { ...USUAL, command: ["python", "train.py"], medianMs: hours * HOUR_MS, ...shape, ...more };
}

const H100 = ["H100-80GB"];
const A100 = ["A100-80GB"];
const EITHER = ["H100-80GB", "A100-80GB"];
const SMALL = ["L40S-48GB", "L4-24GB", "A10G-24GB"];

/** The pipelines of an invented company with 112 owned GPUs in two halls. Sizes and rates are invented too. */
export const COMPANY_FAMILIES: readonly Family[] = [
	family({
		name: "lm-pretrain-",
		team: "foundation",
		project: "base-lm",
		class: "burst",
		gpus: 8,
		accelerators: H100,
		perWorkday: 4.6,
		perWeekendDay: 2.6,
		hours: 19,
	}),
	family({
		name: "rlhf-",
		team: "foundation",
		project: "alignment",
		class: "burst",
		gpus: 8,
		accelerators: H100,
		perWorkday: 2.4,
		perWeekendDay: 0.6,
		hours: 12,
	}),
	family({
		name: "small-lm-",
		team: "research",
		project: "small-lm",
		class: "burst",
		gpus: 8,
		accelerators: H100,
		perWorkday: 1.7,
		perWeekendDay: 0.4,
		hours: 11,
	}),
	family(
		{
			name: "ablation-",
			team: "research",
			project: "sweeps",
			class: "experimental",
			gpus: 4,
			accelerators: EITHER,
			perWorkday: 4.3,
			perWeekendDay: 0.6,
			hours: 7,
		},
		{ priority: 40, failShare: 0.12, cancelShare: 0.08 },
	),
	family(
		{
			name: "esm-fold-",
			team: "genomics",
			project: "folding",
			class: "batch_inference",
			gpus: 8,
			accelerators: A100,
			perWorkday: 3.0,
			perWeekendDay: 2.6,
			hours: 15,
		},
		{ nightlyAtHour: 21 },
	),
	family({
		name: "variant-call-",
		team: "genomics",
		project: "variants",
		class: "sensitive",
		gpus: 4,
		accelerators: A100,
		perWorkday: 2.9,
		perWeekendDay: 1,
		hours: 9,
	}),
	family({
		name: "detector-v",
		team: "vision",
		project: "inspection",
		class: "burst",
		gpus: 8,
		accelerators: A100,
		perWorkday: 2.9,
		perWeekendDay: 0.4,
		hours: 12,
	}),
	family(
		{
			name: "clip-adapt-",
			team: "vision",
			project: "clip",
			class: "experimental",
			gpus: 4,
			accelerators: EITHER,
			perWorkday: 2.6,
			perWeekendDay: 0.4,
			hours: 5,
		},
		{ failShare: 0.1 },
	),
	family(
		{
			name: "demand-tft-",
			team: "forecasting",
			project: "demand",
			class: "baseline",
			gpus: 4,
			accelerators: A100,
			perWorkday: 2.2,
			perWeekendDay: 1.5,
			hours: 7,
		},
		{ nightlyAtHour: 2, deadlineMs: 12 * HOUR_MS, priority: 65, sigma: 0.25, failShare: 0.02, cancelShare: 0 },
	),
	family(
		{
			name: "aml-graph-",
			team: "risk",
			project: "aml",
			class: "sensitive",
			gpus: 8,
			accelerators: A100,
			perWorkday: 1.4,
			perWeekendDay: 0.8,
			hours: 11,
		},
		{ deadlineMs: 16 * HOUR_MS, priority: 60 },
	),
	family({
		name: "asr-large-",
		team: "speech",
		project: "asr",
		class: "burst",
		gpus: 8,
		accelerators: A100,
		perWorkday: 2.5,
		perWeekendDay: 0.6,
		hours: 14,
	}),
	family({
		name: "policy-rl-",
		team: "robotics",
		project: "arm",
		class: "experimental",
		gpus: 4,
		accelerators: EITHER,
		perWorkday: 2.3,
		perWeekendDay: 0.6,
		hours: 8,
	}),
	family({
		name: "eval-",
		team: "foundation",
		project: "evals",
		class: "batch_inference",
		gpus: 1,
		accelerators: SMALL,
		perWorkday: 5.8,
		perWeekendDay: 1,
		hours: 3,
	}),
];

/** Extra research runs on two days: the anomaly that the demo explains. */
export const SURGE: readonly Family[] = [
	family({
		name: "small-lm-",
		team: "research",
		project: "small-lm",
		class: "burst",
		gpus: 8,
		accelerators: H100,
		perWorkday: 9,
		perWeekendDay: 6,
		hours: 11,
	}),
];

/** Twelve models trained at once, on the morning when a region fails. */
export const COMPARISON: readonly Family[] = [
	family(
		{
			name: "lm-compare-",
			team: "foundation",
			project: "base-lm",
			class: "burst",
			gpus: 8,
			accelerators: H100,
			perWorkday: 12,
			perWeekendDay: 12,
			hours: 9,
		},
		{ nightlyAtHour: 4, failShare: 0, cancelShare: 0 },
	),
];
