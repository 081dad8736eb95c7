import type { JobSpec } from "#server/domain/job.ts";
import { gpuBucketOf, namePatternOf } from "../forecast/history-keys.ts";
import { choleskyOf, dot, solveLower } from "./cholesky.ts";
import type { Speed, ThroughputPrior, ThroughputStat, ThroughputView } from "./types.ts";

/**
 * Correlation of the speeds of two families across accelerators, by user, team or company; a different number of GPUs leaves OTHER_GPUS of
 * it.
 * In Gavel's table (79 rows with all three accelerators) the correlation of ln(V100 ÷ K80) and ln(V100 ÷ P100) is 0.8 between batch sizes
 * of one model on equally many GPUs, 0.2 between GPU counts of one model, and 0 between models.
 */
const RELATED = { name: 1, user: 0.6, team: 0.15, company: 0.1 } as const;
const OTHER_GPUS = 0.3;
/** Standard deviation of the logarithm of one measured rate, and of one run's duration, until a family has its own. Assumptions. */
const RATE_SD = 0.05;
const DURATION_SD = 0.5;
/** Weight of these two, as a number of runs. */
const SD_WORTH = 2;
/**
 * Reported rates that differ by more are no ratio of accelerators, and would mislead related families. The prior, from public figures, spans
 * a factor of 37 between a K80 and a B200.
 */
const RATIO_MAX = 1_000;
/** Speeds are declared to one or two digits: rounding 1.6 to the nearest tenth is uniform within 3 %, a standard deviation of 0.02. */
const DECLARED_SD = 0.02;
/**
 * Standard deviation for an accelerator without any public figure, relative to the prior's common accelerator: a factor of 2.2 either way.
 * An assumption.
 */
const UNKNOWN_SD = 0.8;
/** Each family measures its work in its own unit, so its common factor is unknown beforehand. */
const UNIT_VARIANCE = 100;
/** Most related observations in one estimate, the closest first. Limits its cost to about 50³ ÷ 6 multiplications. */
const OBSERVATIONS_MAX = 48;
/** A speed counts as learned once related runs have removed this share of the prior's variance. */
const LEARNED_SHARE = 0.05;

/** The traits of a job by which speeds are pooled. */
export type SpeedTraits = Pick<JobSpec, "name" | "team" | "nodes" | "throughput"> & { resources: { gpus: number }; user?: string };

interface Family {
	team: string;
	namePattern: string;
	gpus: number;
	user: string | undefined;
}

/** Observations of one family in one unit. */
interface Group {
	family: Family;
	unit: string;
	points: { accelerator: string; logRate: number; variance: number; runs: number }[];
}

interface Observation {
	group: Group;
	accelerator: number;
	logRate: number;
	variance: number;
}

/**
 * Gaussian-process regression over families × accelerators: the covariance of two speeds is how related their families are (RELATED) times
 * how accelerators vary together (the prior's covariance), each family has an unknown unit, and every run is one noisy observation. So a
 * family's own runs count most, those of its user, team and company less, and ratios that differ between families stay uncertain (Rasmussen
 * and Williams, "Gaussian Processes for Machine Learning", 2006, chapter 2; the kernel is the intrinsic coregionalisation model of Bonilla,
 * Chai and Williams, NeurIPS 2007).
 */
export class SpeedEstimator {
	readonly #view: ThroughputView;
	readonly #names: readonly string[];
	readonly #indexOf: ReadonlyMap<string, number>;
	readonly #own: ReadonlyMap<string, readonly Group[]>;
	/** Groups with data on ratios: at least two accelerators. */
	readonly #shared: readonly Group[];
	readonly #kept = new Map<string, ReadonlyMap<string, Speed>>();

	constructor(view: ThroughputView) {
		this.#view = view;
		const seen = [view.anchor.accelerator, ...view.stats.map(({ accelerator }) => accelerator)];
		this.#names = [...new Set([...view.prior.accelerators, ...seen])];
		this.#indexOf = new Map(this.#names.map((name, i) => [name, i]));
		this.#own = groupsOf(view.stats);
		this.#shared = [...this.#own.values()].flat().filter(({ points }) => points.length > 1);
	}

	/** Speeds of such a job by accelerator; a missing accelerator is unknown (unknownSpeed). */
	speedsOf(job: SpeedTraits): ReadonlyMap<string, Speed> {
		const family = { team: job.team, namePattern: namePatternOf(job.name), gpus: gpuBucketOf(job), user: job.user };
		const key = this.#keyOf(family, job.throughput);
		const known = this.#kept.get(key);
		if (known) return known;
		if (this.#kept.size >= KEPT_ESTIMATES) this.#kept.clear();
		const fresh = this.#estimate(family, job.throughput);
		this.#kept.set(key, fresh);
		return fresh;
	}

	/** All families without runs share the data of their user, team and company. */
	#keyOf(family: Family, declared: JobSpec["throughput"]): string {
		const said = declared ? JSON.stringify(declared) : "";
		if (this.#shared.length === 0 && !this.#own.has(familyKey(family))) return said;
		if (this.#own.has(familyKey(family))) return `own\n${familyKey(family)}\n${family.user ?? ""}\n${said}`;
		const hasName = this.#shared.some(({ family: other }) => other.team === family.team && other.namePattern === family.namePattern);
		return `${family.team}\n${family.gpus}\n${family.user ?? ""}\n${hasName ? family.namePattern : ""}\n${said}`;
	}

	#estimate(family: Family, declared: JobSpec["throughput"]): ReadonlyMap<string, Speed> {
		const own = [...(this.#own.get(familyKey(family)) ?? [])];
		if (declared) own.push(declaredGroup(family, declared));
		const observations = this.#observationsFor(family, own);
		const n = observations.length;
		const kernel = observations.map((a, i) =>
			observations.map((b, j) => {
				const unit = a.group === b.group ? UNIT_VARIANCE : 0;
				const noise = i === j ? a.variance : 0;
				return relatedness(a.group.family, b.group.family) * this.#covariance(a.accelerator, b.accelerator) + unit + noise;
			}),
		);
		const lower = choleskyOf(kernel);
		const residuals = solveLower(
			lower,
			residualsOf(observations, (i) => this.#priorMean(i)),
		);
		const reach = this.#names.map((_, a) =>
			n === 0
				? []
				: solveLower(
						lower,
						observations.map((o) => relatedness(family, o.group.family) * this.#covariance(a, o.accelerator)),
					),
		);
		const mean = this.#names.map((_, a) => this.#priorMean(a) + dot(reach[a] ?? [], residuals));
		const covariance = (a: number, b: number): number => this.#covariance(a, b) - dot(reach[a] ?? [], reach[b] ?? []);
		return this.#speedsBy(family, own, mean, covariance, declared);
	}

	#speedsBy(
		family: Family,
		own: readonly Group[],
		mean: readonly number[],
		covariance: (a: number, b: number) => number,
		declared: JobSpec["throughput"],
	): ReadonlyMap<string, Speed> {
		const { anchor } = this.#view;
		const anchorAt = this.#indexOf.get(anchor.accelerator) ?? 0;
		const measured = runsByAccelerator(this.#own.get(familyKey(family)) ?? []);
		// The accelerator with the most runs has the best data on the family's run time.
		const [pivot = anchor.accelerator] = [...measured].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? [];
		const pivotAt = this.#indexOf.get(pivot) ?? anchorAt;
		const spread = (cov: (a: number, b: number) => number, a: number): number =>
			Math.max(0, cov(a, a) + cov(pivotAt, pivotAt) - 2 * cov(a, pivotAt));
		const prior = (a: number, b: number): number => this.#covariance(a, b);
		const isInformed = own.some(({ points }) => points.length > 1);
		return new Map(
			this.#names.map((name, a): [string, Speed] => {
				const variance = spread(covariance, a);
				const runs = measured.get(name) ?? 0;
				const isLearned = isInformed || variance < (1 - LEARNED_SHARE) * spread(prior, a);
				const isDeclared = declared !== undefined && Object.hasOwn(declared, name);
				const unmeasured = name === anchor.accelerator ? null : isLearned ? "learned" : "prior";
				const source = runs > 0 ? "measured" : isDeclared ? "declared" : unmeasured;
				const logMean = Math.log(anchor.speed) + (mean[a] ?? 0) - (mean[anchorAt] ?? 0);
				return [name, { logMean, logSd: Math.sqrt(variance), source, runs }];
			}),
		);
	}

	/** The family's own groups, then those of others, closest and best measured first. */
	#observationsFor(family: Family, own: readonly Group[]): Observation[] {
		const others = this.#shared.filter((group) => !own.includes(group));
		const closest = others
			.map((group) => ({ group, share: relatedness(family, group.family) }))
			.sort((a, b) => b.share - a.share || runsOf(b.group) - runsOf(a.group) || (keyOfGroup(a.group) < keyOfGroup(b.group) ? -1 : 1));
		const observations: Observation[] = [];
		for (const group of [...own, ...closest.map((c) => c.group)]) {
			if (observations.length + group.points.length > OBSERVATIONS_MAX) break;
			for (const { accelerator, logRate, variance } of group.points) {
				const at = this.#indexOf.get(accelerator);
				if (at !== undefined) observations.push({ group, accelerator: at, logRate, variance });
			}
		}
		return observations;
	}

	#priorMean(at: number): number {
		return this.#view.prior.logMean[at] ?? 0;
	}

	#covariance(a: number, b: number): number {
		const { covariance } = this.#view.prior;
		if (a < covariance.length && b < covariance.length) return covariance[a]?.[b] ?? 0;
		return a === b ? UNKNOWN_SD ** 2 : 0;
	}
}

const KEPT_ESTIMATES = 20_000;

/** An accelerator with neither prior nor runs: as fast as the anchor, with a wide spread. */
export function unknownSpeed({ anchor }: ThroughputView): Speed {
	return { logMean: Math.log(anchor.speed), logSd: UNKNOWN_SD, source: "prior", runs: 0 };
}

/** A prior without data. */
export const NO_PRIOR: ThroughputPrior = { accelerators: [], logMean: [], covariance: [] };

function familyKey({ team, namePattern, gpus }: Pick<Family, "team" | "namePattern" | "gpus">): string {
	return `${team}\n${namePattern}\n${gpus}`;
}

function keyOfGroup({ family, unit }: Group): string {
	return `${familyKey(family)}\n${unit}`;
}

function relatedness(a: Family, b: Family): number {
	return RELATED[closenessOf(a, b)] * (a.gpus === b.gpus ? 1 : OTHER_GPUS);
}

function closenessOf(a: Family, b: Family): keyof typeof RELATED {
	if (a.team === b.team && a.namePattern === b.namePattern) return "name";
	if (a.user !== undefined && a.user === b.user) return "user";
	return a.team === b.team ? "team" : "company";
}

function groupsOf(stats: readonly ThroughputStat[]): Map<string, Group[]> {
	const byGroup = new Map<string, ThroughputStat[]>();
	for (const stat of stats) {
		const key = `${familyKey(stat)}\n${unitOf(stat)}`;
		const list = byGroup.get(key);
		if (list) list.push(stat);
		else byGroup.set(key, [stat]);
	}
	const families = new Map<string, Group[]>();
	for (const list of byGroup.values()) {
		const [first] = list;
		if (!first) continue;
		const key = familyKey(first);
		const group = groupOf(first, list);
		if (isPlausible(first.kind, group)) families.set(key, [...(families.get(key) ?? []), group]);
	}
	return families;
}

function isPlausible(kind: ThroughputStat["kind"], { points }: Group): boolean {
	const rates = points.map(({ logRate }) => logRate);
	return kind !== "rate" || Math.max(...rates) - Math.min(...rates) <= Math.log(RATIO_MAX);
}

function unitOf({ kind, unit = "" }: ThroughputStat): string {
	return `${kind} ${unit}`;
}

function groupOf(first: ThroughputStat, list: readonly ThroughputStat[]): Group {
	const expected = (first.kind === "rate" ? RATE_SD : DURATION_SD) ** 2;
	const degrees = list.reduce((sum, s) => sum + s.runs - 1, 0);
	const seen = list.reduce((sum, s) => sum + (s.runs - 1) * s.variance, 0);
	const variance = (SD_WORTH * expected + seen) / (SD_WORTH + degrees);
	const { team, namePattern, gpus } = first;
	const user = list.every((s) => s.user === first.user) ? first.user : undefined;
	const points = list
		.map((s) => ({ accelerator: s.accelerator, logRate: s.meanLogRate, variance: variance / s.runs, runs: s.runs }))
		.sort((a, b) => (a.accelerator < b.accelerator ? -1 : 1));
	return { family: { team, namePattern, gpus, user }, unit: unitOf(first), points };
}

function declaredGroup(family: Family, declared: Record<string, number>): Group {
	const points = Object.entries(declared).map(([accelerator, speed]) => ({
		accelerator,
		logRate: Math.log(speed),
		variance: DECLARED_SD ** 2,
		runs: 1,
	}));
	return { family, unit: "declared", points };
}

function runsOf({ points }: Group): number {
	return points.reduce((sum, { runs }) => sum + runs, 0);
}

function runsByAccelerator(groups: readonly Group[]): Map<string, number> {
	const runs = new Map<string, number>();
	for (const { points } of groups) for (const p of points) runs.set(p.accelerator, Math.max(runs.get(p.accelerator) ?? 0, p.runs));
	return runs;
}

/** Subtracts the prior's mean, and the first value of each group: its unit is arbitrary, and large numbers would cost precision. */
function residualsOf(observations: readonly Observation[], priorMean: (accelerator: number) => number): number[] {
	const firsts = new Map<Group, number>();
	return observations.map(({ group, accelerator, logRate }) => {
		const residual = logRate - priorMean(accelerator);
		if (!firsts.has(group)) firsts.set(group, residual);
		return residual - (firsts.get(group) ?? 0);
	});
}
