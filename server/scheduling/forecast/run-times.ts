import type { JobSpec } from "#server/domain/job.ts";
import { LIMITS } from "../limits.ts";
import type { DurationStat } from "../types.ts";
import { type Component, Distribution } from "./distribution.ts";
import { ANY, gpuBucketOf, type HistoryKey, historyKeysOf, keyText, namePatternOf } from "./history-keys.ts";
import { POINT_SHARES } from "./quantiles.ts";

/** With this many runs a group counts as much as the next wider group. An assumption. */
const SHRINK_SAMPLES = 10;
/** An estimate is one sample, but for this very job: it counts as this many runs of its group. An assumption. */
const ESTIMATE_WORTH = 10;
/** P90 ÷ P50 of an unknown job. An assumption: most training runs end between one hour and ten. */
const UNKNOWN_SPREAD = 10;
/** Resolution of a distribution without runs. */
const SYNTHETIC_SAMPLES = 199;
/** Half the width of an exactly known value, as a share of it. */
const EXACT_SPREAD = 0.01;
/** Most cached entries for one list of statistics. */
const KEPT_DISTRIBUTIONS = 20_000;
/** Standard normal quantiles at POINT_SHARES; the ends represent 1 % and 99.5 %. */
const NORMAL_POINTS = [-2.33, -1.64, -1.28, -0.84, -0.52, -0.25, 0, 0.25, 0.52, 0.84, 1.04, 1.28, 1.64, 1.96, 2.33, 2.58] as const;
const NORMAL_P90 = 1.2816;

/** The distribution of a job's whole run time, or null if no statistic applies to this job. */
export type DistributionOf = (spec: JobSpec) => Distribution | null;

/**
 * Mixes the groups that a job belongs to, most specific first: a group of n runs takes n / (n + SHRINK_SAMPLES) of the
 * remaining weight, and the wider groups the rest (interpolated back-off; the templates are those of Smith, Foster and Taylor,
 * "Predicting application run times using historical information", JSSPP 1998, and of Gibbons 1997). A wide group counts as
 * many samples as it has kinds of jobs: two hundred runs of one kind say little about another.
 *
 * If a pipeline's estimates were better than its history, the corrected estimate comes first (provenEstimate). Otherwise the
 * person's estimate comes between the name's runs and the team's, twice. First corrected: multiplied by run time ÷ estimate of
 * the narrowest group with such ratios (Tsafrir, Etsion and Feitelson, TPDS 2007: estimates are bounds, not predictions),
 * weighted by how much narrower the ratios are than the run times and by their number. Then unchanged, with the remaining
 * doubt. So a job that outlives all similar runs is expected to last until its own estimate. For a new kind of job without an
 * estimate the remaining weight is that of any job.
 *
 * Only statistics with `points` take part. A user's group is skipped when all runs of the surrounding group are that user's:
 * the same runs would count twice.
 */
export function makeDistributionOf(stats: readonly DurationStat[]): DistributionOf {
	const known = made.get(stats) ?? distributionsOf(stats);
	made.set(stats, known);
	return known;
}

/** A list of statistics never changes, and is used for every job of every cycle until the next list. */
const made = new WeakMap<readonly DurationStat[], DistributionOf>();

function distributionsOf(stats: readonly DurationStat[]): DistributionOf {
	const byKey = indexed(stats);
	if (byKey.size === 0) return () => null;
	const users = new Set(stats.map(({ user }) => user));
	const kept = new Map<string, Distribution | null>();
	return (spec) => {
		// All users without runs get the same distribution.
		const user = users.has(spec.user) ? (spec.user ?? "") : "";
		const text = `${user}\n${spec.team}\n${namePatternOf(spec.name)}\n${gpuBucketOf(spec)}\n${spec.duration.estimateMs ?? ""}`;
		const known = kept.get(text);
		if (known !== undefined) return known;
		if (kept.size >= KEPT_DISTRIBUTIONS) kept.clear();
		const components = componentsOf(spec, byKey);
		const fresh = components.length === 0 ? null : new Distribution(components);
		kept.set(text, fresh);
		return fresh;
	};
}

function indexed(stats: readonly DurationStat[]): Map<string, DurationStat> {
	const byKey = new Map<string, DurationStat>();
	for (const stat of stats) {
		if (!stat.points || stat.points.length !== POINT_SHARES.length) continue;
		const text = keyText({ team: stat.team, namePattern: stat.namePattern, gpus: stat.gpus ?? null, user: stat.user ?? null });
		const known = byKey.get(text);
		// The list may be in any order. Of two entries with one key, take the one with more runs, then the one with longer runs.
		if (!known || stat.samples > known.samples || (stat.samples === known.samples && stat.p50Ms > known.p50Ms)) byKey.set(text, stat);
	}
	return byKey;
}

function componentsOf(spec: JobSpec, byKey: ReadonlyMap<string, DurationStat>): Component[] {
	const levels = historyKeysOf(spec).map((key) => ({ key, stat: statFor(key, byKey) }));
	const components: Component[] = [];
	let left = 1;
	const take = (share: number, samples: number, points: readonly number[]): void => {
		components.push({ weight: left * share, samples, points });
		left *= 1 - share;
	};
	const { estimateMs } = spec.duration;
	let estimated = estimateMs === null || estimateMs <= 0;
	const proven = estimated || estimateMs === null ? null : provenEstimate(estimateMs, levels);
	if (proven) take(proven.share, proven.samples, proven.points);
	for (const { key, stat } of levels) {
		if (!estimated && estimateMs !== null && key.namePattern === ANY) {
			for (const said of estimateParts(estimateMs, levels)) take(said.share, said.samples, said.points);
			estimated = true;
		}
		if (stat?.points) take(worthOf(stat) / (worthOf(stat) + SHRINK_SAMPLES), stat.samples, stat.points);
	}
	const isNewKind = !levels.some(({ key, stat }) => key.namePattern !== ANY && stat?.points);
	if (components.length > 0 && isNewKind && estimateMs === null) take(1, SYNTHETIC_SAMPLES, UNKNOWN_POINTS);
	return components;
}

function statFor(key: HistoryKey, byKey: ReadonlyMap<string, DurationStat>): DurationStat | undefined {
	const stat = byKey.get(keyText(key));
	if (!stat || key.user === null) return stat;
	const around = byKey.get(keyText({ ...key, user: null }));
	const same = around?.samples === stat.samples && around.p50Ms === stat.p50Ms && around.p90Ms === stat.p90Ms;
	return same ? undefined : stat;
}

interface Level {
	key: HistoryKey;
	stat: DurationStat | undefined;
}

/** How many samples a group counts as for a job of another kind. */
function worthOf({ samples, kinds = samples }: DurationStat): number {
	return Math.min(samples, kinds);
}

interface Part {
	/** Share of the remaining weight. */
	share: number;
	samples: number;
	points: readonly number[];
}

/**
 * The corrected estimate of a pipeline with runs closer to their estimates than to one another. It comes before the runs themselves.
 * Estimates that never change, or that are no better than the runs, get no weight.
 */
function provenEstimate(estimateMs: number, levels: readonly Level[]): Part | null {
	const known = levels.find(({ key, stat }) => key.namePattern !== ANY && stat?.estimateRatio)?.stat;
	const ratio = known?.estimateRatio;
	if (!known?.points || !ratio) return null;
	const better = 1 - logWidth(ratio.points) / Math.max(logWidth(known.points), 1e-9);
	if (better <= 0) return null;
	return {
		share: (better * ratio.samples) / (ratio.samples + SHRINK_SAMPLES),
		samples: ratio.samples,
		points: corrected(estimateMs, ratio.points),
	};
}

/** Exact estimates would be one step, and a distribution rises to a step from the value below. 1 % apart they are effectively one value. */
function corrected(estimateMs: number, ratios: readonly number[]): readonly number[] {
	const middle = (ratios.length - 1) / 2;
	return ratios.map((ratio, i) => Math.max(1, ratio * estimateMs) * (1 + ((i - middle) / middle) * EXACT_SPREAD));
}

/** The estimate as given, and corrected by its track record if there is one. */
function estimateParts(estimateMs: number, levels: readonly Level[]): Part[] {
	const known = levels.find((l) => l.stat?.estimateRatio)?.stat;
	const ratio = known?.estimateRatio;
	const asSaid = normalPoints(estimateMs, LIMITS.defaultSpread);
	const worth = ESTIMATE_WORTH / (ESTIMATE_WORTH + SHRINK_SAMPLES);
	if (!known?.points || !ratio) return [{ share: worth, samples: SYNTHETIC_SAMPLES, points: asSaid }];
	const points = corrected(estimateMs, ratio.points);
	const [ratioWidth, runWidth] = [logWidth(ratio.points), logWidth(known.points)];
	const better = runWidth / Math.max(ratioWidth + runWidth, 1e-9);
	const seen = Math.min(ratio.samples, worthOf(known));
	return [
		{ share: (better * seen) / (seen + SHRINK_SAMPLES), samples: ratio.samples, points },
		{ share: worth * (SHRINK_SAMPLES / (seen + SHRINK_SAMPLES)), samples: SYNTHETIC_SAMPLES, points: asSaid },
	];
}

/** Log-normal around a median, at POINT_SHARES. */
function normalPoints(medianMs: number, p90ToP50: number): readonly number[] {
	const step = Math.log(p90ToP50) / NORMAL_P90;
	return NORMAL_POINTS.map((z) => medianMs * Math.exp(step * z));
}

const UNKNOWN_POINTS = normalPoints(LIMITS.defaultRunMs, UNKNOWN_SPREAD);

/** Variance of the logarithm, from the distance between the 10th and the 90th percentile. */
function logWidth(points: readonly number[]): number {
	const low = Math.max(points[2] ?? 1, 1e-9);
	const high = Math.max(points[11] ?? low, low);
	return (Math.log(high / low) / (2 * NORMAL_P90)) ** 2;
}
