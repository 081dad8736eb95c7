import type { Assumption, HistorySummary } from "../types.ts";

export type OptionKind = "as_is" | "burst" | "buy" | "mix" | "cloud";

/** 5th and 95th percentile over resampled weeks. */
export interface Range {
	low: number;
	high: number;
}

/** One way to run the same history. Money in micro-dollars is a decimal string; money per month is US dollars for 730 hours. */
export interface PlanOption {
	id: string;
	label: string;
	kind: OptionKind;
	/** Policy used in the replay. */
	policy: string;
	ownedGpus: number;
	/** GPUs bought in addition to the owned ones; below 0: given up. */
	addedGpus: number;
	jobs: number;
	jobsDone: number;
	/** Jobs that no GPU of this option can hold. The times below exclude them. */
	jobsNeverRan: number;
	meanWaitS: number;
	p50WaitS: number;
	p95WaitS: number;
	meanTimeToModelS: number;
	p50TimeToModelS: number;
	p95TimeToModelS: number;
	missedDeadlines: number;
	interruptions: number;
	lostGpuHours: number;
	ownedUtilisation: number;
	cloudGpuHours: number;
	cloudGpuHoursByCapacityType: Record<string, number>;
	/** Over the history. */
	cost: {
		cloudMicroUsd: string;
		cloudByKindUsd: Record<string, number>;
		depreciationMicroUsd: string;
		powerMicroUsd: string;
		spaceMicroUsd: string;
		supportMicroUsd: string;
		staffMicroUsd: string;
		ownedMicroUsd: string;
		totalMicroUsd: string;
	};
	perMonth: { cloudUsd: number; ownedUsd: number; totalUsd: number };
	peakMonthMicroUsd: string;
	/** kg CO2e over the history; null: unknown for part of the use. */
	carbon: { operationalKg: number | null; idleKg: number | null; embodiedKg: number | null; totalKg: number | null };
	finance: {
		purchaseUsd: number;
		/** Present value of all payments over the horizon. */
		presentValueUsd: number;
		/** Present value saved relative to bursting with today's owned GPUs. */
		npvUsd: number;
		/** First month in which it has cost no more than bursting; null: not within the horizon, or nothing is bought. */
		paybackMonth: number | null;
		/** Cumulative payments by the end of each month, from month 0. */
		cumulativeUsd: number[];
	};
	ranges: { cloudPerMonthUsd: Range; meanWaitS: Range; meanTimeToModelS: Range; npvUsd: Range };
	/** Relative to owned GPUs only. */
	change: {
		/** −0.4: 40% shorter. */
		meanTimeToModel: number;
		meanTimeToModelRange: Range;
		/** Full cost per hour of waiting saved; null: it saves none. */
		usdPerWaitHourSaved: number | null;
	};
}

export interface CurvePoint {
	optionId: string;
	gpus: number;
	cloudPerMonthUsd: number;
	ownedPerMonthUsd: number;
	totalPerMonthUsd: number;
	meanTimeToModelS: number;
}

/** NPV of the recommended purchase with one assumption changed. */
export interface Sensitivity {
	name: string;
	base: string;
	low: { value: string; npvUsd: number };
	high: { value: string; npvUsd: number };
}

export interface DecisionTest {
	about: "burst" | "buy";
	test: string;
	found: string;
	passed: boolean;
}

export interface PlanPilot {
	family: string;
	team: string;
	policy: string;
	weeks: number;
	capUsd: number;
	measure: string[];
	stopWhen: string[];
}

export interface PlanDecision {
	verdict: "go" | "pilot" | "no_go";
	buyGpus: number;
	headline: string;
	summary: string;
	tests: DecisionTest[];
	pilot: PlanPilot;
}

/** Output of `spillway plan compare --json`: its bytes follow from its inputs. */
export interface PlanComparison {
	apiVersion: "spillway/v1";
	kind: "PlanComparison";
	seed: number;
	history: HistorySummary;
	/** Jobs that no pool or offer can hold; no option includes them. */
	jobsWithoutPlace: number;
	ownedGpus: number;
	accelerator: string;
	/** Hours from the first to the last submission, the period of the owned cost. */
	spanHours: number;
	/** The option that finance is compared with. */
	reference: string;
	options: PlanOption[];
	/** Total cost against owned GPUs under the burst policy, ascending in GPUs. */
	curve: { points: CurvePoint[]; minimumGpus: number };
	recommended: string;
	sensitivities: Sensitivity[];
	horizonMonths: number;
	decision: PlanDecision;
	assumptions: Assumption[];
}
