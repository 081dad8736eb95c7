import { and, asc, desc, eq, gte, inArray, isNotNull, lt, ne, type SQL, sql } from "drizzle-orm";
import { bucketStartMs, bucketsOf, type Interval } from "#server/accounting/calendar.ts";
import { type Avoided, addAvoided, avoidedAgainst, type Emitted, NOTHING_AVOIDED } from "#server/accounting/carbon-avoided.ts";
import { powerSteps } from "#server/accounting/carbon-card.ts";
import { charge } from "#server/db/schema/charge.ts";
import { decision } from "#server/db/schema/decision.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { Candidate, Explanation } from "#server/domain/decision.ts";
import { CAPACITY_TYPES } from "#server/domain/vocabulary.ts";
import { accelerator, resolveAlias } from "#server/rates/accelerators.ts";
import { gridIntensity as regionGrid } from "#server/rates/carbon.ts";
import { RATED_PROVIDERS } from "#server/rates/offers.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { meanGrid } from "#server/services/pricing/energy/grid-of.ts";
import { homeGrid } from "#server/services/pricing/energy/home-grid.ts";
import { powerOfPool } from "#server/services/pricing/energy/power-facts.ts";
import { cardsOfPool } from "#server/services/pricing/owned/pool-cards.ts";
import { segmentsOf } from "../spend/group-sums.ts";
import { spendRange } from "../spend/range.ts";
import { readSums } from "../spend/read-sums.ts";

/** One comparison, with the wording to display. */
export interface Comparison extends Avoided {
	against: "home" | "removed_offer";
	calculation: string;
	/** Jobs compared; null when the comparison uses the sums of all jobs. */
	jobs: number | null;
}

export interface AvoidedEmissions {
	fromMs: number;
	toMs: number;
	/** null: no comparison is possible (no owned pool, unknown grid, or no excluded offer). */
	home: Comparison | null;
	removedOffer: Comparison | null;
}

/** Maximum number of jobs to read decisions for, most expensive first. */
export const COMPARED_JOBS_MAX = 50;

/**
 * Emissions that bursting avoided or added. Each figure states its counterfactual. GPU time with unknown emissions is
 * excluded from both sides. Reads sums, and the charges and decisions of at most COMPARED_JOBS_MAX jobs.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function avoidedEmissions(ctx: ServiceContext, input: Interval): Promise<AvoidedEmissions> {
	const teams = teamScope(ctx, "spend:read");
	const range = spendRange(input, await ledgerCalendar(ctx.db));
	const [home, removedOffer] = await Promise.all([againstHome(ctx, range, teams), againstRemoved(ctx, range, teams)]);
	return { ...range, home, removedOffer };
}

const bigSum = (of: SQL) => sql<bigint>`coalesce(sum(${of}), 0)`.mapWith((value: unknown) => BigInt(String(value)));

async function againstHome(ctx: ServiceContext, range: Interval, teams: readonly string[] | null): Promise<Comparison | null> {
	const home = await largestPool(ctx, range);
	if (!home) return null;
	const rows = await readSums(ctx.db, {
		...segmentsOf(range, null, await ledgerCalendar(ctx.db)),
		groupBy: null,
		byBucket: false,
		filters: { capacityType: CAPACITY_TYPES.filter((type) => type !== "owned") },
		teams,
		columns: ["gpuMs", "emissionsUnknownGpuMs", "emissionsMilligrams"],
	});
	const actual = {
		gpuMs: rows.reduce((sum, row) => sum + row.gpuMs - row.emissionsUnknownGpuMs, 0n),
		milligrams: rows.reduce((sum, row) => sum + row.emissionsMilligrams, 0n),
	};
	if (actual.gpuMs <= 0n) return null;
	const avoided = avoidedAgainst(home.place, actual);
	if (!avoided) return null;
	const { wattsPerGpu, pue, gramsPerKwh } = home.place;
	const grid = home.basis === "hours" ? "the mean of its hours in this range" : "its average of a year";
	return {
		...avoided,
		against: "home",
		jobs: null,
		calculation:
			`The GPU-hours that ran in clouds, as if as many GPU-hours had run on pool ${home.poolId} at home at ${wattsPerGpu} W a GPU, ` +
			`PUE ${pue} and ${round(gramsPerKwh)} g CO2e/kWh (${home.zone}, ${grid}), less what they emitted. Operational emissions, ` +
			"location-based. Whether the pool had room, and how fast either GPU is, is not considered.",
	};
}

/** The largest owned pool, with its current power data. */
async function largestPool(ctx: ServiceContext, range: Interval) {
	const [row] = await ctx.db
		.select({ pool, settings: site.settings })
		.from(pool)
		.innerJoin(site, eq(site.id, pool.siteId))
		.where(eq(site.enabled, true))
		.orderBy(desc(sql`${pool.nodes} * ${pool.gpusPerNode}`), asc(pool.siteId), asc(pool.id))
		.limit(1);
	if (!row) return null;
	const grid = homeGrid(row.settings);
	const base = powerOfPool({ ...row.pool, siteSettings: row.settings });
	const gpus = row.pool.nodes * row.pool.gpusPerNode;
	const cards = await cardsOfPool(ctx.db, { siteId: row.pool.siteId, poolId: row.pool.id });
	const steps = powerSteps(cards, { gpus, power: base }, await ledgerCalendar(ctx.db));
	const nowMs = ctx.clock.nowMs();
	const power = steps.findLast((step) => step.fromMs <= nowMs)?.power ?? base;
	const toMs = Math.min(range.toMs, bucketStartMs("hour", nowMs));
	const mean = await meanGrid(ctx.db, grid.zone, { fromMs: range.fromMs, toMs: Math.max(toMs, range.fromMs) }, grid.gramsPerKwh);
	return {
		poolId: row.pool.id,
		zone: grid.zone,
		basis: mean.basis,
		place: { wattsPerGpu: power.wattsPerGpu, pue: power.pue ?? 1, gramsPerKwh: mean.gramsPerKwh },
	};
}

async function againstRemoved(ctx: ServiceContext, range: Interval, teams: readonly string[] | null): Promise<Comparison | null> {
	const jobIds = await mostExpensiveJobs(ctx, range, teams);
	if (jobIds.length === 0) return null;
	const [emitted, decisions] = await Promise.all([emittedInClouds(ctx, jobIds, range), firstLaunches(ctx, jobIds)]);
	let sum = NOTHING_AVOIDED;
	let jobs = 0;
	for (const [jobId, actual] of emitted) {
		const other = cheapestRemoved(decisions.get(jobId));
		const avoided = other && actual.gpuMs > 0n ? avoidedInOffer(other, actual) : null;
		if (!avoided) continue;
		sum = addAvoided(sum, avoided);
		jobs++;
	}
	if (jobs === 0) return null;
	const which =
		jobIds.length === COMPARED_JOBS_MAX ? `of the ${COMPARED_JOBS_MAX} most expensive jobs of these months` : "of these months' jobs";
	return {
		...sum,
		against: "removed_offer",
		jobs,
		calculation:
			`The GPU-hours in clouds of ${jobs} ${which}, as if as many GPU-hours had run on the cheapest fitting offer that a rule or a fact removed ` +
			"from the decision that launched the job first: that offer's board power × its region's PUE × its region's average of a year, " +
			"less what they emitted. Jobs without such an offer on record are left out. Operational emissions, location-based.",
	};
}

function avoidedInOffer({ placement }: Candidate, actual: Emitted): Avoided | null {
	const model = placement.accelerator === null ? null : resolveAlias(placement.accelerator);
	const provider = RATED_PROVIDERS.find((p) => p === placement.provider);
	const grid = provider && placement.region !== null ? regionGrid(provider, placement.region) : null;
	if (model === null || !grid) return null;
	return avoidedAgainst({ wattsPerGpu: accelerator(model).boardWatts, pue: grid.pue, gramsPerKwh: grid.gramsPerKwh }, actual);
}

/** The excluded offer that fits the job and has the lowest hourly price for the whole job. */
export function cheapestRemoved(explanation: Explanation | undefined): Candidate | null {
	if (!explanation) return null;
	const removed = [...explanation.candidates, ...explanation.removed.map((r) => r.cheapest)].filter(
		(c) => c.outcome === "removed" && c.placement.capacityType !== "owned" && BigInt(c.hourlyMicroUsd) > 0n && couldRun(c),
	);
	const hourly = (c: Candidate): bigint => BigInt(c.hourlyMicroUsd) * BigInt(c.instances);
	return removed.reduce<Candidate | null>((best, c) => (best && hourly(best) <= hourly(c) ? best : c), null);
}

/** Excluded by a rule or by current conditions, not because the job does not fit the machine. */
function couldRun({ removedBy }: Candidate): boolean {
	return !(removedBy?.why.startsWith("hardware_") || removedBy?.why === "mount_missing");
}

/** Reads each month (and team) by index, so a year of jobs is never sorted. */
async function mostExpensiveJobs(ctx: ServiceContext, range: Interval, teams: readonly string[] | null): Promise<string[]> {
	if (teams?.length === 0) return [];
	const months = bucketsOf("month", range, await ledgerCalendar(ctx.db)).map((month) => new Date(month.fromMs).toISOString());
	const textsOf = (values: readonly string[]) => sql`jsonb_array_elements_text(${JSON.stringify(values)}::jsonb)`;
	const [among, ofTeam] = teams === null ? [sql``, sql``] : [sql`, ${textsOf(teams)} as of_team(name)`, sql`and team = of_team.name`];
	const rows = await ctx.db.execute<{ job_id: string }>(sql`
		select costliest.job_id from ${textsOf(months)} as month(start) ${among}, lateral (
			select job_id, effective_micro_usd from job_month where month_start = month.start::timestamptz ${ofTeam}
			order by effective_micro_usd desc nulls first limit ${COMPARED_JOBS_MAX}
		) as costliest order by costliest.effective_micro_usd desc nulls first limit ${COMPARED_JOBS_MAX}`);
	return [...new Set(rows.map((row) => row.job_id))];
}

async function emittedInClouds(ctx: ServiceContext, jobIds: readonly string[], range: Interval): Promise<Map<string, Emitted>> {
	const rows = await ctx.db
		.select({ jobId: charge.jobId, gpuMs: bigSum(sql`${charge.gpuMs}`), milligrams: bigSum(sql`${charge.emissionsMilligrams}`) })
		.from(charge)
		.where(
			and(
				inArray(charge.jobId, [...jobIds]),
				ne(charge.capacityType, "owned"),
				isNotNull(charge.emissionsMilligrams),
				gte(charge.periodStart, new Date(range.fromMs)),
				lt(charge.periodStart, new Date(range.toMs)),
			),
		)
		.groupBy(charge.jobId);
	return new Map(rows.flatMap(({ jobId, ...sums }) => (jobId === null ? [] : [[jobId, sums] as const])));
}

async function firstLaunches(ctx: ServiceContext, jobIds: readonly string[]): Promise<Map<string, Explanation>> {
	const rows = await ctx.db
		.selectDistinctOn([decision.jobId], { jobId: decision.jobId, explanation: decision.explanation })
		.from(decision)
		.where(
			and(inArray(decision.jobId, [...jobIds]), isNotNull(decision.attemptNumber), sql`${decision.explanation}->>'outcome' = 'launch'`),
		)
		.orderBy(decision.jobId, asc(decision.decidedAt));
	return new Map(rows.map((row) => [row.jobId, row.explanation]));
}

function round(grams: number | null): string {
	return grams === null ? "unknown" : String(Math.round(grams * 100) / 100);
}
