import { HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import { quantile } from "#server/simulation/replay/series.ts";
import type { Family, JobColumns } from "../history/columns.ts";
import type { Hours } from "../profile/demand.ts";
import { compare } from "../profile/waits.ts";
import type { BurstCandidate } from "../types.ts";
import type { GpuPrices } from "./prices.ts";
import { type FamilyFacts, reasonsFor, scoreOf } from "./score.ts";

/** Most candidates in the list. */
export const CANDIDATES_MAX = 25;

export interface CandidateInput {
	jobs: JobColumns;
	hours: Hours;
	/** By row, NaN where unknown; null: no starts. */
	waitsMs: Float64Array | null;
	startMs: number;
	capacityGpus: number;
	prices: GpuPrices;
	/** Replace names of teams, users and jobs by numbers. */
	isRedacted: boolean;
}

/** Families of jobs by how well they suit the cloud, best first. Families that never requested more than the capacity are excluded. */
export function findCandidates(input: CandidateInput): { candidates: BurstCandidate[]; leftOut: number } {
	const sums = sumFamilies(input);
	const all = input.jobs.families.flatMap((family, i): BurstCandidate[] => {
		const sum = sums[i];
		if (!sum || sum.jobs === 0) return [];
		const facts = factsOf(family, sum, input);
		if (facts.overflowGpuHours < 0.5 && (facts.meanWaitMs ?? 0) < HOUR_MS / 4) return [];
		return [candidateOf(family, i, facts, input)];
	});
	all.sort((a, b) => b.score - a.score || b.overflowGpuHours - a.overflowGpuHours || compare(a.label, b.label) || a.gpus - b.gpus);
	return { candidates: all.slice(0, CANDIDATES_MAX), leftOut: Math.max(0, all.length - CANDIDATES_MAX) };
}

interface FamilySum {
	jobs: number;
	gpuMs: number;
	overflowGpuHours: number;
	waitMs: number;
	waits: number;
	runsMs: number[];
}

function sumFamilies({ jobs, hours, waitsMs, startMs, capacityGpus }: CandidateInput): FamilySum[] {
	const sums = jobs.families.map((): FamilySum => ({ jobs: 0, gpuMs: 0, overflowGpuHours: 0, waitMs: 0, waits: 0, runsMs: [] }));
	const overflow = overflowBefore(hours, capacityGpus);
	const offsetMs = startMs - hours.fromHour * HOUR_MS;
	for (let i = 0; i < jobs.length; i++) {
		const sum = sums[jobs.at(jobs.family, i)];
		if (!sum) continue;
		const [length, gpus] = [jobs.at(jobs.durationMs, i), jobs.at(jobs.gpus, i)];
		const fromH = (jobs.at(jobs.submitMs, i) + offsetMs) / HOUR_MS;
		sum.jobs++;
		sum.gpuMs += length * gpus;
		sum.overflowGpuHours += gpus * (at(overflow, fromH + length / HOUR_MS) - at(overflow, fromH));
		sum.runsMs.push(length);
		const wait = waitsMs?.[i] ?? Number.NaN;
		if (Number.isNaN(wait)) continue;
		sum.waitMs += wait;
		sum.waits++;
	}
	return sums;
}

/** Cumulative hours × share of the demand beyond the capacity at the start of each hour: a job's share is a difference of two. */
function overflowBefore({ demand }: Hours, capacityGpus: number): Float64Array {
	const before = new Float64Array(demand.length + 1);
	for (const [h, gpus] of demand.entries()) {
		const share = gpus > capacityGpus ? (gpus - capacityGpus) / gpus : 0;
		before[h + 1] = (before[h] ?? 0) + share;
	}
	return before;
}

function at(before: Float64Array, hour: number): number {
	const h = Math.min(Math.max(0, hour), before.length - 1);
	const i = Math.floor(h);
	const from = before[i] ?? 0;
	return from + (h - i) * ((before[i + 1] ?? from) - from);
}

function factsOf(family: Family, sum: FamilySum, { capacityGpus, prices }: CandidateInput): FamilyFacts {
	const sorted = Float64Array.from(sum.runsMs).sort();
	return {
		family,
		jobs: sum.jobs,
		gpuHours: sum.gpuMs / HOUR_MS,
		overflowGpuHours: sum.overflowGpuHours,
		meanWaitMs: sum.waits === 0 ? null : sum.waitMs / sum.waits,
		waitHours: sum.waits === 0 ? null : sum.waitMs / HOUR_MS,
		p50RunMs: quantile(sorted, 0.5),
		fits: family.gpus <= capacityGpus,
		faster: prices.faster,
	};
}

function candidateOf(family: Family, index: number, facts: FamilyFacts, { prices, jobs, isRedacted }: CandidateInput): BurstCandidate {
	const usd = (perHour: number | null): number | null =>
		perHour === null ? null : Math.round(facts.overflowGpuHours * perHour * 100) / 100;
	return {
		team: isRedacted ? `team ${jobs.teams.list.indexOf(family.team) + 1}` : family.team,
		label: isRedacted ? `family ${index + 1}` : (family.label ?? "unnamed jobs"),
		gpus: family.gpus,
		score: scoreOf(facts),
		reasons: reasonsFor(facts),
		jobs: facts.jobs,
		gpuHours: Math.round(facts.gpuHours * 10) / 10,
		overflowGpuHours: Math.round(facts.overflowGpuHours * 10) / 10,
		meanWaitS: facts.meanWaitMs === null ? null : Math.round(facts.meanWaitMs / SECOND_MS),
		p50RunS: Math.round(facts.p50RunMs / SECOND_MS),
		onDemandUsd: usd(prices.onDemandUsd),
		spotUsd: usd(prices.spotUsd),
		waitHours: facts.waitHours === null ? null : Math.round(facts.waitHours * 10) / 10,
	};
}
