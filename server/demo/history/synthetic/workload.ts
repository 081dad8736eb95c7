import type { JobSpec } from "#server/domain/job.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { Work } from "./records.ts";
import type { Arrival } from "./scenario.ts";
import { simId } from "./sim-ids.ts";
import { FAMILIES, type Family } from "./workload-families.ts";

/** Share of a working day's submissions by hour, UTC: a morning and an afternoon peak, a few late ones. Invented. */
const BY_HOUR = [1, 0, 0, 0, 0, 1, 3, 7, 12, 14, 13, 9, 8, 12, 13, 11, 8, 5, 3, 2, 2, 2, 1, 1];

/** Maximum run time as a multiple of the family's median, so that nothing runs for days. */
const LONGEST = 5;

/**
 * Jobs of five invented teams over [fromMs, toMs): daily and weekly rhythm, numbered names, log-normal run times, some
 * that fail and some that are cancelled. The same seed gives the same jobs.
 */
export function generateWorkload(input: { fromMs: number; toMs: number; seed: number; families?: readonly Family[] }): Arrival[] {
	const { fromMs, toMs, seed, families = FAMILIES } = input;
	const root = seededRandom(seed);
	const arrivals = families.flatMap((family) => ofFamily(family, root.fork(family.name), fromMs, toMs));
	return arrivals.sort((a, b) => a.submittedAtMs - b.submittedAtMs || (a.spec.name < b.spec.name ? -1 : 1));
}

function ofFamily(family: Family, random: Random, fromMs: number, toMs: number): Arrival[] {
	const arrivals: Arrival[] = [];
	let number = random.int(3, 40);
	for (let day = Math.floor(fromMs / DAY_MS) * DAY_MS; day < toMs; day += DAY_MS) {
		const weekday = new Date(day).getUTCDay();
		const mean = weekday === 0 || weekday === 6 ? family.perWeekendDay : family.perWorkday;
		const times = Array.from({ length: poisson(random, mean, family.nightlyAtHour !== null) }, () => day + timeOfDay(family, random));
		for (const atMs of times.sort((a, b) => a - b)) {
			const arrival = arrivalOf(family, random, atMs, number);
			if (atMs < fromMs || atMs >= toMs) continue;
			arrivals.push(arrival);
			number++;
		}
	}
	return arrivals;
}

/** Pipelines run exactly as often as scheduled; people vary. */
function poisson(random: Random, mean: number, regular: boolean): number {
	if (regular) return Math.floor(mean) + (random.next() < mean - Math.floor(mean) ? 1 : 0);
	const limit = Math.exp(-mean);
	let count = 0;
	for (let p = random.next(); p > limit; p *= random.next()) count++;
	return count;
}

function timeOfDay(family: Family, random: Random): number {
	if (family.nightlyAtHour !== null) return family.nightlyAtHour * HOUR_MS + random.int(0, 90 * 1_000);
	let at = random.next() * BY_HOUR.reduce((sum, n) => sum + n, 0);
	let hour = 0;
	for (const weight of BY_HOUR) {
		at -= weight;
		if (at < 0) break;
		hour++;
	}
	return Math.min(23, hour) * HOUR_MS + Math.floor(random.next() * HOUR_MS);
}

function arrivalOf(family: Family, random: Random, submittedAtMs: number, number: number): Arrival {
	const factor = Math.min(LONGEST, Math.exp(family.sigma * normal(random)));
	const ceiling = family.maxMs ?? Number.POSITIVE_INFINITY;
	const totalMs = Math.round(Math.min(ceiling * 1.02, Math.max(4 * MINUTE_MS, family.medianMs * factor)));
	const work: Work = {
		totalMs,
		stagingMs: Math.round(family.stagingMs * (0.6 + random.next())),
		fails: random.next() < family.failShare ? failureOf(random, totalMs) : null,
		cancelAfterMs: random.next() < family.cancelShare ? Math.round(totalMs * random.next()) : null,
		submittedBy: `account:${family.team}`,
	};
	return { id: simId("job", submittedAtMs, random), submittedAtMs, spec: specOf(family, submittedAtMs, number), work };
}

function failureOf(random: Random, totalMs: number): NonNullable<Work["fails"]> {
	// Most mistakes show early; some runs run out of memory late.
	const late = random.next() < 0.3;
	const afterMs = Math.round(totalMs * (late ? 0.4 + 0.6 * random.next() : 0.02 + 0.15 * random.next()));
	return late ? { afterMs, exitCode: null, signal: "SIGKILL" } : { afterMs, exitCode: random.pick([1, 1, 1, 2]), signal: null };
}

function specOf(family: Family, submittedAtMs: number, number: number): JobSpec {
	const minutes = (ms: number): number => Math.max(5, Math.round(ms / (5 * MINUTE_MS)) * 5) * MINUTE_MS;
	const estimateMs = family.estimateFactor === null ? null : minutes(family.medianMs * family.estimateFactor);
	return {
		name: `${family.name}${number}`,
		team: family.team,
		project: family.project,
		labels: family.nightlyAtHour === null ? {} : { pipeline: "nightly" },
		class: family.class,
		image: null,
		command: family.command,
		env: {},
		nodes: 1,
		resources: { gpus: family.gpus, accelerators: family.accelerators, cpus: null, memoryGiB: null },
		duration: {
			estimateMs: estimateMs !== null && family.maxMs !== null ? Math.min(estimateMs, family.maxMs) : estimateMs,
			maxMs: family.maxMs,
		},
		deadlineMs: family.deadlineMs === null ? null : submittedAtMs + family.deadlineMs,
		priority: family.priority,
		critical: false,
		checkpoint: family.checkpoint ? { path: "/checkpoints", intervalMs: 15 * MINUTE_MS } : null,
		data: [],
	};
}

/** Standard normal (Box and Muller 1958). */
function normal(random: Random): number {
	return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
