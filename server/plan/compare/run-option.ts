import { DAY_MS, HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import { embodiedOfMachine } from "#server/rates/accelerator-embodied.ts";
import type { MeasuredRun } from "#server/simulation/replay/meter.ts";
import { replayWithSeries } from "#server/simulation/replay/replay-with-series.ts";
import type { ReplayReport, ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";
import type { PlanPolicy } from "./policies.ts";

const WEEK_MS = 7 * DAY_MS;

/** Totals of the jobs submitted in one week. */
export interface WeekSums {
	jobs: number;
	waitMs: number;
	timeToModelMs: number;
	cloudMicroUsd: number;
}

/** A replay of one option. Everything in it follows from the arguments. */
export interface OptionRun {
	report: Omit<ReplayReport, "decisionsPerSecond" | "replaySeconds" | "series">;
	cloudMicroUsd: bigint;
	/** GPU time held at home, ms. */
	homeGpuMs: number;
	/** Cloud cost of the most expensive calendar month, UTC. */
	peakMonthMicroUsd: bigint;
	/** Embodied emissions of the rented machines, kg; null: not on record for all of them. */
	cloudEmbodiedKg: number | null;
	/** From the scenario's start; weeks without jobs have zeros. */
	weeks: WeekSums[];
}

/** Replays the jobs with the decision core under one policy, as `spillway simulate` does. */
export function runOption(
	jobs: readonly TraceJob[],
	scenario: ReplayScenario,
	policy: PlanPolicy,
	onProgress?: (done: number, total: number) => void,
): OptionRun {
	const sums = new RunSums(scenario.startMs);
	const {
		decisionsPerSecond: _,
		replaySeconds: __,
		series: ___,
		...report
	} = replayWithSeries(
		jobs,
		scenario,
		{ name: policy.id, policy: policy.policy },
		{ onRun: (run) => sums.add(run), ...(onProgress && { onProgress }) },
	);
	return { report, ...sums.finish() };
}

class RunSums {
	readonly #startMs: number;
	readonly #weeks: WeekSums[] = [];
	readonly #months = new Map<number, bigint>();
	readonly #firstStarts = new Map<number, number>();
	#cloudMicroUsd = 0n;
	#homeGpuMs = 0;
	#embodiedGrams = 0;
	#isEmbodiedKnown = true;

	constructor(startMs: number) {
		this.#startMs = startMs;
	}

	add({ run, why, endMs, costMicroUsd, costByMonth }: MeasuredRun): void {
		if (why === "refused") return;
		const { job, commandAtMs, offer } = run;
		const week = this.#week(job.submittedAtMs);
		week.cloudMicroUsd += Number(costMicroUsd);
		this.#cloudMicroUsd += costMicroUsd;
		for (const [month, microUsd] of costByMonth) this.#months.set(month, (this.#months.get(month) ?? 0n) + microUsd);
		const heldMs = endMs - run.placedAtMs;
		if (offer === null) this.#homeGpuMs += heldMs * job.gpus;
		else this.#embody(embodiedOfMachine(offer)?.gramsPerGpuHour ?? null, (heldMs * offer.gpus * run.instances) / HOUR_MS);
		if (endMs >= commandAtMs && !this.#firstStarts.has(job.index)) this.#firstStarts.set(job.index, commandAtMs);
		if (why !== "finished") return;
		week.jobs++;
		week.waitMs += (this.#firstStarts.get(job.index) ?? commandAtMs) - job.submittedAtMs;
		week.timeToModelMs += endMs - job.submittedAtMs;
	}

	finish(): Omit<OptionRun, "report"> {
		let peak = 0n;
		for (const microUsd of this.#months.values()) if (microUsd > peak) peak = microUsd;
		return {
			cloudMicroUsd: this.#cloudMicroUsd,
			homeGpuMs: this.#homeGpuMs,
			peakMonthMicroUsd: peak,
			cloudEmbodiedKg: this.#isEmbodiedKnown ? this.#embodiedGrams / 1000 : null,
			weeks: Array.from(this.#weeks, (week) => week ?? emptyWeek()),
		};
	}

	#embody(gramsPerGpuHour: number | null, gpuHours: number): void {
		if (gramsPerGpuHour === null) this.#isEmbodiedKnown = false;
		else this.#embodiedGrams += gramsPerGpuHour * gpuHours;
	}

	#week(submittedAtMs: number): WeekSums {
		const i = Math.floor((submittedAtMs - this.#startMs) / WEEK_MS);
		const known = this.#weeks[i];
		if (known) return known;
		const week = emptyWeek();
		this.#weeks[i] = week;
		return week;
	}
}

function emptyWeek(): WeekSums {
	return { jobs: 0, waitMs: 0, timeToModelMs: 0, cloudMicroUsd: 0 };
}

export function secondsOf(ms: number): number {
	return Math.round(ms / SECOND_MS);
}
