import { HOUR_MS } from "#server/kernel/units.ts";
import { averagePue } from "#server/rates/carbon.ts";
import { findCandidates } from "./candidates/find.ts";
import { DEFAULT_ACCELERATOR, gpuPrices } from "./candidates/prices.ts";
import { WEIGHTS } from "./candidates/score.ts";
import type { JobColumns } from "./history/columns.ts";
import type { History } from "./history/read-history.ts";
import { adviseCommitment } from "./profile/commitments.ts";
import { demandProfile, gpusFor, hoursOf } from "./profile/demand.ts";
import { type FilterProfile, type FilterProfiles, filterProfiles, type JobFilter } from "./profile/filter-profiles.ts";
import { idleBy, lostWork, neverFit } from "./profile/losses.ts";
import { selectJobs } from "./profile/select-jobs.ts";
import { recordedPeak, recordedWaits, SIMULATED_JOBS_MAX, simulatedWaits } from "./profile/starts.ts";
import { waitsBy } from "./profile/waits.ts";
import type { Assumption, HistorySummary, PlanAssessment } from "./types.ts";

export interface AssessOptions {
	/** The history's name in reports. */
	source: string;
	/** Owned GPUs; absent: from the history. */
	gpus?: number | undefined;
	/** Owned model, for prices. */
	accelerator?: string | undefined;
	isRedacted?: boolean | undefined;
	/** Profile only these jobs, among all. */
	filter?: JobFilter | undefined;
	/** Discount of reserved GPUs or a savings plan on the on-demand price; absent: COMMITMENT_PERCENT. */
	commitmentPercent?: number | undefined;
}

const NO_WAITS: FilterProfile["waits"] = { all: null, byTeam: [], byClass: [], bySize: [] };

/** The shipped prices contain no discount: an assumption. */
export const COMMITMENT_PERCENT = 40;

/** Profiles a history: demand, waits, idle and lost GPU time, and the job families that suit the cloud. */
export function assess(history: History, options: AssessOptions): PlanAssessment {
	return profileHistory(history, options).assessment;
}

/** An assessment of all jobs or the selected ones, and demand, waits and candidates by team, class and GPU model, for filters. */
export function profileHistory(history: History, options: AssessOptions): { assessment: PlanAssessment; filters: () => FilterProfiles } {
	const { jobs, startMs } = history;
	const accelerator = options.accelerator ?? DEFAULT_ACCELERATOR;
	const recorded = recordedWaits(jobs);
	const capacity = capacityOf(history, recorded, options.gpus);
	const simulated =
		recorded === null && jobs.length <= SIMULATED_JOBS_MAX ? simulatedWaits(jobs, plainPool(accelerator), capacity.gpus) : null;
	const waitsMs = recorded ?? simulated;
	const hours = hoursOf(jobs, startMs, waitsMs);
	const isRedacted = options.isRedacted ?? false;
	const teamName = (name: string) => (isRedacted ? `team ${jobs.teams.list.indexOf(name) + 1}` : name);
	const prices = gpuPrices(accelerator, startMs);
	const { filter = {} } = options;
	const isFiltered = Object.values(filter).some((value) => value !== undefined);
	const chosen = isFiltered ? selectJobs(jobs, waitsMs, filter) : { jobs, waitsMs, gpuHours: 0 };
	const span = { fromHour: hours.fromHour, hours: hours.demand.length };
	const chosenHours = isFiltered ? hoursOf(chosen.jobs, startMs, chosen.waitsMs, span) : hours;
	const found = findCandidates({ ...chosen, hours, startMs, capacityGpus: capacity.gpus, prices, isRedacted });
	const waits = chosen.waitsMs ? waitsBy(chosen.jobs, chosen.waitsMs) : NO_WAITS;
	const selection = isFiltered && {
		...{
			team: filter.team === undefined ? null : teamName(filter.team),
			class: filter.workloadClass ?? null,
			gpu: filter.gpuModel ?? null,
		},
		...{ jobs: chosen.jobs.length, gpuHours: chosen.gpuHours },
	};
	const assessment: PlanAssessment = {
		apiVersion: "spillway/v1",
		kind: "PlanAssessment",
		history: summaryOf(history, options.source),
		...(selection && { selection }),
		capacity,
		demand: demandProfile(chosenHours, capacity.gpus),
		waits: {
			basis: recorded ? "recorded" : simulated ? "simulated" : "unknown",
			...waits,
			byTeam: waits.byTeam.map((group) => ({ ...group, name: teamName(group.name) })),
		},
		idle: idleBy(hours, capacity.gpus),
		lostWork: lostWork(chosen.jobs),
		neverFit: neverFit(chosen.jobs, capacity.gpus),
		candidates: found.candidates,
		candidatesLeftOut: found.leftOut,
		commitments: adviseCommitment(hours.demand, capacity.gpus, {
			onDemandUsd: prices.onDemandUsd,
			discountShare: (options.commitmentPercent ?? COMMITMENT_PERCENT) / 100,
		}),
		assumptions: assumptionsOf(history, accelerator, prices),
	};
	const profileOf = (rows: ArrayLike<number>): FilterProfile => {
		const some = {
			jobs: jobs.pick(rows).dropUnusedFamilies(),
			waitsMs: waitsMs && Float64Array.from(rows, (i) => waitsMs[i] ?? Number.NaN),
		};
		const { candidates, leftOut } = findCandidates({ ...some, hours, startMs, capacityGpus: capacity.gpus, prices, isRedacted });
		const demand = demandProfile(hoursOf(some.jobs, startMs, some.waitsMs, span), capacity.gpus);
		const waits = some.waitsMs ? waitsBy(some.jobs, some.waitsMs) : NO_WAITS;
		return { jobs: some.jobs.length, demand, waits, candidates, candidatesLeftOut: leftOut };
	};
	return { assessment, filters: () => filterProfiles(jobs, startMs, profileOf) };
}

function capacityOf({ jobs, startMs }: History, recorded: Float64Array | null, given: number | undefined): PlanAssessment["capacity"] {
	if (given !== undefined) return { gpus: given, basis: "given" };
	if (recorded) return { gpus: recordedPeak(jobs, recorded), basis: "recorded_peak" };
	const { demand } = hoursOf(jobs, startMs, null);
	return { gpus: Math.max(1, gpusFor(Float64Array.from(demand).sort(), 0.8)), basis: "work_80" };
}

/** Waits do not depend on a GPU's cost or power. */
function plainPool(accelerator: string) {
	return { accelerator, microUsdPerGpuHour: 1n, wattsPerGpu: 1, gridGramsPerKwh: null, pue: averagePue("on_premises").pue };
}

export function summaryOf({ format, jobs, startMs, isStartKnown, notes, badRows }: History, source: string): HistorySummary {
	const { firstMs, lastMs, gpuMs } = extentOf(jobs);
	const { withoutGpus, neverStarted, fractionsRoundedUp, stillRunning, ignoredColumns } = notes;
	return {
		...{ source, format, jobs: jobs.length, gpuHours: Math.round(gpuMs / HOUR_MS) },
		...{ teams: jobs.teams.list.length, users: jobs.users.list.length },
		from: new Date(startMs + firstMs).toISOString(),
		to: new Date(startMs + lastMs).toISOString(),
		days: Math.round(((lastMs - firstMs) / HOUR_MS / 24) * 10) / 10,
		isStartKnown,
		notes: { withoutGpus, neverStarted, fractionsRoundedUp, stillRunning, ignoredColumns },
		badRows,
	};
}

function extentOf(jobs: JobColumns): { firstMs: number; lastMs: number; gpuMs: number } {
	let [firstMs, lastMs, gpuMs] = [Number.POSITIVE_INFINITY, 0, 0];
	for (let i = 0; i < jobs.length; i++) {
		firstMs = Math.min(firstMs, jobs.at(jobs.submitMs, i));
		lastMs = Math.max(lastMs, jobs.at(jobs.submitMs, i));
		gpuMs += jobs.at(jobs.durationMs, i) * jobs.at(jobs.gpus, i);
	}
	return { firstMs, lastMs, gpuMs };
}

function assumptionsOf(history: History, accelerator: string, prices: ReturnType<typeof gpuPrices>): Assumption[] {
	const usd = (value: number | null): string => (value === null ? "none on record" : `$${value.toFixed(3)} per GPU-hour`);
	const catalogue = "cheapest list price in the shipped catalog, all regions (server/rates)";
	return [
		{ name: "Accelerator", value: accelerator, source: "--accelerator, else A100-80GB: a trace does not name what is owned" },
		{ name: "On-demand price", value: usd(prices.onDemandUsd), source: catalogue },
		{ name: "Spot price", value: usd(prices.spotUsd), source: catalogue },
		{
			name: "Start",
			value: new Date(history.startMs).toISOString(),
			source: history.isStartKnown ? "recorded" : "assumed, a Monday: the trace has no dates",
		},
		{
			name: "Demand",
			value: "hourly mean, each job from its submission",
			source: "definition: demand as if no job had waited",
		},
		{
			name: "Candidate score",
			value: Object.entries(WEIGHTS)
				.map(([key, points]) => `${key} ${points}`)
				.join(", "),
			source: "points of 100, chosen by this project; missing facts count half (docs/plan.md)",
		},
	];
}
