import loadHighs from "highs";
import type { Offer } from "#server/domain/capacity.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { isAvailableWithin } from "../replay/availability.ts";
import { firstAfter, priceAt } from "../replay/billing.ts";
import type { ReplayScenario, TraceJob } from "../replay/types.ts";
import { type BoundJob, curvesOf, type WorkCurves } from "./curves.ts";

export interface ClairvoyantInput {
	jobs: readonly TraceJob[];
	scenario: Pick<ReplayScenario, "pools" | "offers" | "prices" | "availability" | "startMs">;
	/**
	 * Sum over all jobs of (time to model − run time on the fastest pool or offer), hours, in the compared schedule. null when strict
	 * deadlines must be met instead of waits.
	 */
	totalDelayHours: number | null;
	/** Time buckets that the trace is cut into; more make the bound tighter and slower. */
	buckets?: number;
}

export interface ClairvoyantBound {
	/** Least cloud cost of any schedule of this trace that meets the requirement, US dollars. */
	cloudCostUsd: number;
	/** Cloud GPU-hours in that cost. */
	cloudGpuHours: number;
	kept: "strict_deadlines" | "total_delay";
	buckets: number;
	solveSeconds: number;
}

/**
 * The least that any schedule must spend in the cloud, with the whole trace, prices and capacity known beforehand: an LP
 * relaxation, solved by HiGHS. Jobs are grouped into classes; time is cut into buckets [T_k, T_k+1). Work that remains at
 * the last bound is done at home afterwards, at no cost.
 *
 * Variables for class c and bucket k, GPU-hours: h work done at home, y work done in the cloud, b backlog at T_k (work that
 * could have been done by then but was not), D backlog × time, GPU-hours × hours. price_k: the lowest price of a GPU-hour in
 * the bucket, over the offers that are available at some moment of it.
 *
 *   minimize   Σ price_k × y_k
 *   b_k+1 = b_k + E_k+1 − E_k − h_k − y_k,  b ≥ 0             E: all jobs run from their release on
 *   Σ_c h_k ≤ owned GPUs × speed × (T_k+1 − T_k)
 *   b_k ≤ E_k − L_k                                            L: all strict jobs run as late as their deadline lets them
 *   D_k ≥ (T_k+1 − T_k) × b_k+1 − gap_k                        gap: area between E(T_k+1) and E in the bucket
 *   Σ_c Σ_k D_k ÷ (largest work of a job of c) ≤ total delay
 *
 * Why this is a lower bound: take any schedule and read h, y and b off it. A job that runs at most on its own GPUs is never
 * ahead of E, so b ≥ 0. It meets its deadline only if it is never behind its ramp of L. Home does no more work than its capacity.
 * Waiting, boots, restores, fragmentation and interruptions only take capacity away from the schedule, so they are left out.
 * Every price but the bucket's lowest is left out too: work that runs in a bucket pays a price in effect in it.
 * For the delay: the area between a job's ideal and its true work curve is
 * work × (mean busy time − ideal mean busy time), and its completion is at least half its length after its mean busy time
 * (Goemans' mean-busy-time relaxation), so that area ≤ work × (time to model − run time). Summed over a class with the largest
 * work as divisor, this bounds the class's delay from below. The work done within a bucket is at most the work done by its end;
 * the row of D uses that. So every schedule is a point of this LP at its own cost, and the LP's optimum costs no more.
 * With strict deadlines the other jobs are left out, because they may run whenever there is room. Strict jobs that no machine can
 * finish in time are left out too.
 *
 * @throws SpillwayError `invalid_input` when there is no priced offer, `unavailable` when the solver gives up.
 */
export async function clairvoyantBound(input: ClairvoyantInput): Promise<ClairvoyantBound> {
	const kept = input.totalDelayHours === null ? "strict_deadlines" : "total_delay";
	const speed = Math.max(1, ...input.scenario.pools.map((p) => p.speed));
	const jobs = input.jobs.flatMap((job) => boundJobOf(job, kept, speed));
	const boundsH = bucketBounds(jobs, input.buckets ?? 600);
	const problem = {
		boundsH,
		classes: classesOf(jobs, kept).map((of) => ({
			curves: curvesOf(of, boundsH),
			largest: Math.max(...of.map((j) => j.gpus * j.lengthH)),
		})),
		ownedGpus: input.scenario.pools.reduce((sum, p) => sum + p.nodes * p.gpusPerNode * p.speed, 0),
		totalDelayHours: input.totalDelayHours,
	};
	const usdPerGpuHour = lowestUsdPerGpuHour(input.scenario, boundsH);
	const began = performance.now();
	const bought = jobs.length === 0 ? [] : await solve(programOf({ ...problem, usdPerGpuHour }), usdPerGpuHour.length);
	return {
		cloudCostUsd: bought.reduce((sum, gpuHours, k) => sum + (gpuHours > 0 ? gpuHours * (usdPerGpuHour[k] ?? 0) : 0), 0),
		cloudGpuHours: bought.reduce((sum, gpuHours) => sum + gpuHours, 0),
		kept,
		buckets: boundsH.length,
		solveSeconds: (performance.now() - began) / 1000,
	};
}

/** A job on the fastest machine available: a relaxation if some are slower. */
function boundJobOf(job: TraceJob, kept: ClairvoyantBound["kept"], speed: number): BoundJob[] {
	const releaseH = job.submitMs / HOUR_MS;
	const lengthH = job.durationMs / HOUR_MS / speed;
	if (lengthH <= 0 || job.gpus <= 0) return [];
	if (kept === "total_delay") return [{ releaseH, lengthH, gpus: job.gpus * speed, deadlineH: null }];
	if (job.deadlineKind !== "strict" || job.deadlineMs === null) return [];
	const deadlineH = releaseH + job.deadlineMs / HOUR_MS;
	return deadlineH >= releaseH + lengthH ? [{ releaseH, lengthH, gpus: job.gpus * speed, deadlineH }] : [];
}

/** Equal buckets from the first release to the last ideal end or deadline. */
function bucketBounds(jobs: readonly BoundJob[], count: number): number[] {
	const first = jobs.reduce((min, j) => Math.min(min, j.releaseH), Number.POSITIVE_INFINITY);
	const last = jobs.reduce((max, j) => Math.max(max, j.deadlineH ?? j.releaseH + j.lengthH), 0);
	return jobs.length === 0 ? [] : Array.from({ length: count + 1 }, (_, k) => first + ((last - first) * k) / count);
}

/** Delays are grouped by the magnitude of the work, which divides the delay; deadlines by the magnitude of the slack. */
function classesOf(jobs: readonly BoundJob[], kept: ClairvoyantBound["kept"]): BoundJob[][] {
	const classes = new Map<number, BoundJob[]>();
	for (const job of jobs) {
		const size = kept === "total_delay" ? job.gpus * job.lengthH : (job.deadlineH ?? 0) - job.releaseH - job.lengthH;
		const key = Math.round(Math.log2(Math.max(1 / 3600, size)));
		const of = classes.get(key);
		if (of) of.push(job);
		else classes.set(key, [job]);
	}
	return [...classes.keys()].sort((a, b) => a - b).map((key) => classes.get(key) ?? []);
}

/** Of each bucket. Where nothing is available in one, no work is done in it at any price. */
function lowestUsdPerGpuHour(scenario: ClairvoyantInput["scenario"], boundsH: readonly number[]): number[] {
	const priced = scenario.offers.filter((offer) =>
		[offer.microUsdPerHour, ...(scenario.prices.get(offer.id) ?? []).map((p) => p.microUsdPerHour)].some((p) => p !== null && p > 0n),
	);
	if (priced.length === 0)
		throw new SpillwayError("invalid_input", "No offer of the scenario has a price, so there is no least cost.", {
			fix: "Give the scenario an offer with a price above 0.",
		});
	return boundsH.slice(1).map((toH, k) => {
		const fromMs = (boundsH[k] ?? 0) * HOUR_MS;
		const toMs = toH * HOUR_MS;
		return priced.reduce((least, offer) => Math.min(least, lowestOf(scenario, offer, fromMs, toMs)), Number.POSITIVE_INFINITY);
	});
}

/** The lowest price of a GPU-hour of an offer within [fromMs, toMs) of the replay; infinite while it is unavailable. */
function lowestOf(scenario: ClairvoyantInput["scenario"], offer: Offer, fromMs: number, toMs: number): number {
	const trace = scenario.availability.get(offer.id);
	if (trace && !isAvailableWithin(trace, fromMs, toMs)) return Number.POSITIVE_INFINITY;
	const fromUtcMs = scenario.startMs + fromMs;
	const changes = scenario.prices.get(offer.id) ?? [];
	const within = changes.slice(firstAfter(changes, fromUtcMs), firstAfter(changes, scenario.startMs + toMs));
	const prices = [priceAt(scenario, offer, fromUtcMs), ...within.map((p) => p.microUsdPerHour)].filter(
		(price) => price !== null && price > 0n,
	);
	return prices.reduce((least, price) => Math.min(least, Number(price) / 1e6 / Math.max(1, offer.gpus)), Number.POSITIVE_INFINITY);
}

interface Problem {
	boundsH: readonly number[];
	classes: { curves: WorkCurves; largest: number }[];
	ownedGpus: number;
	totalDelayHours: number | null;
	/** By bucket; infinite: nothing can be bought in it. */
	usdPerGpuHour: readonly number[];
}

/** The program in CPLEX's LP form; its objective is the cost in the cloud, US dollars. p is what is bought in a bucket, GPU-hours. */
function programOf({ boundsH, classes, ownedGpus, totalDelayHours, usdPerGpuHour }: Problem): string {
	const last = boundsH.length - 1;
	const bought = Array.from({ length: last }, (): string[] => []);
	const rows: string[] = [];
	const bounds: string[] = [];
	const delays: string[] = [];
	const home = Array.from({ length: last }, (): string[] => []);
	for (const [c, { curves, largest }] of classes.entries()) {
		for (let k = 0; k < last; k++) {
			const arrived = num((curves.earliest[k + 1] ?? 0) - (curves.earliest[k] ?? 0));
			const before = k === 0 ? "" : ` - b${c}_${k}`;
			rows.push(`b${c}_${k + 1} + h${c}_${k} + y${c}_${k}${before} = ${arrived}`);
			bought[k]?.push(`y${c}_${k}`);
			home[k]?.push(`h${c}_${k}`);
			if (totalDelayHours === null) {
				bounds.push(`b${c}_${k + 1} <= ${num(Math.max(0, (curves.earliest[k + 1] ?? 0) - (curves.latest[k + 1] ?? 0)))}`);
			} else {
				const width = (boundsH[k + 1] ?? 0) - (boundsH[k] ?? 0);
				rows.push(`${num(width)} b${c}_${k + 1} - d${c}_${k} <= ${num(curves.gap[k] ?? 0)}`);
				delays.push(`${num(1 / largest)} d${c}_${k}`);
			}
		}
	}
	for (const [k, of] of home.entries()) rows.push(`${of.join(" + ")} <= ${num(ownedGpus * ((boundsH[k + 1] ?? 0) - (boundsH[k] ?? 0)))}`);
	if (totalDelayHours !== null) rows.push(`${delays.join(" + ")} <= ${num(totalDelayHours)}`);
	for (const [k, of] of bought.entries()) rows.push(`${of.join(" + ")} - p${k} = 0`);
	const objective = usdPerGpuHour.flatMap((usd, k) => (Number.isFinite(usd) ? [`${num(usd)} p${k}`] : []));
	for (const [k, usd] of usdPerGpuHour.entries()) if (!Number.isFinite(usd)) bounds.push(`p${k} = 0`);
	return `Minimize\n obj: ${objective.join(" + ")}\nSubject To\n${rows.join("\n")}\nBounds\n${bounds.join("\n")}\nEnd\n`;
}

function num(value: number): string {
	return value.toPrecision(12);
}

/** GPU-hours bought in each bucket. */
async function solve(program: string, buckets: number): Promise<number[]> {
	const highs = await loadHighs();
	const solution = highs.solve(program, { output_flag: false });
	if (solution.Status === "Optimal") return Array.from({ length: buckets }, (_, k) => Math.max(0, solution.Columns[`p${k}`]?.Primal ?? 0));
	throw new SpillwayError("unavailable", `The linear program of the bound ended with "${solution.Status}".`, {
		fix: "Try with fewer buckets; report the trace if that fails too.",
	});
}
