import { and, eq, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { type Interval, nextBucketStartMs } from "#server/accounting/calendar.ts";
import { coverRange } from "#server/accounting/cover-range.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { listChargesInput } from "#server/contract/inputs/spend.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { charge } from "#server/db/schema/charge.ts";
import type { Charge, ChargeCorrection } from "#server/domain/charge.ts";
import { isCopyId } from "#server/domain/charge.ts";
import { LOST_CHOICES, type LostChoice } from "#server/domain/lost-work.ts";
import { allows, authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { decodeCursor, encodeCursor } from "#server/services/core/cursor.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { BUDGET_COST } from "#server/services/ledger/budget/cost-sql.ts";
import { countedCharges, hasManyJobs, periodsOfBudget } from "#server/services/ledger/budget/counted-charges.ts";
import { type NamedCharge, readChargeRows } from "./charge-rows.ts";
import { CHARGE_TOTALS, type ChargeTotals } from "./charge-totals.ts";
import { type CutView, readCut } from "./cut.ts";
import { passes, restricted, type SpendFilters } from "./filters.ts";
import { lostAttempts } from "./lost-work.ts";
import { spendRange } from "./range.ts";
import { readSums } from "./read-sums.ts";
import { sumsOfBudget } from "./sums-of-budget.ts";

export type ListChargesInput = z.input<typeof listChargesInput>;

export interface ChargeLine extends NamedCharge {
	/** Its cause: every charge has exactly one. */
	cause: { kind: "instance" | "allocation" | "pool" | "bill_line" | "artifact"; id: string };
}

export interface ChargePage {
	/** The requested range, widened to whole hours. */
	fromMs: number;
	toMs: number;
	zone: string;
	/** Newest first. */
	items: ChargeLine[];
	nextCursor: string | null;
	/** Totals of the whole selection, not of the page. */
	totals: ChargeTotals;
	/** The requested cuts. */
	asOf: CutView | null;
	since: CutView | null;
	/** With asOf: totals of charges posted to the selection after the cut. */
	later: Pick<ChargeTotals, "charges" | "effectiveMicroUsd"> | null;
	/** With a budget: the amount that it counts for the whole selection; for reserved capacity, the billed use. */
	budget: { id: string; postedMicroUsd: bigint } | null;
	/** The caller's permissions on these charges. */
	may: { refund: boolean };
}

/**
 * A page of charges, newest first, with the sums of the whole selection from the rollups. A data scientist sees only their own
 * teams. Cost: the rollups of the range, then only the charges of days that have any, newest first. With a cut, also the
 * charges posted after it, which are at the end of their month's partition. For a budget, its own sums by day; with filters
 * other than teams, or within a day, all charges that it counts.
 * @throws SpillwayError `forbidden`, `invalid_input`; `not_found` for a statement version that was never written and for a
 * budget that no policy ever contained.
 */
export async function listCharges(ctx: Pick<ServiceContext, "actor" | "db">, raw: ListChargesInput): Promise<ChargePage> {
	const teams = teamScope(ctx, "charge:read");
	const { filters, jobId, cause, correction, lost, withoutIdle, asOf, since, budget, cursor, limit, ...asked } =
		listChargesInput.parse(raw);
	const calendar = await ledgerCalendar(ctx.db);
	const range = spendRange(asked, calendar);
	const after = cursor === undefined ? null : decodeCursor(cursor);
	const until = asOf === undefined ? null : await readCut(ctx, asOf, "asOf");
	const from = since === undefined ? null : await readCut(ctx, since, "since");
	const few = await fewCharges(ctx, range, { jobId, cause, correction, lost });
	const { place } = few;
	if (budget !== undefined) authorize(ctx, "budget:read", null);
	const periods = budget === undefined ? [] : await periodsOfBudget(ctx.db, budget, { range: place, calendar });
	const selected = (how: "each" | "all") =>
		and(
			passes(charge, filters, teams),
			few.only,
			budget === undefined ? undefined : countedCharges(budget, periods, how),
			withoutIdle ? USED : undefined,
		);
	const cut = and(until?.by, from?.after);
	const readFrom = async (db: DbOrTx): Promise<Found> => {
		const later = until && (await sumsOfCharges({ db }, and(within([place]), selected("all"), until.after)));
		const added = async () => ({ later, ...(await sumsOfCharges({ db }, and(within([place]), selected("all"), cut))), places: [place] });
		if (few.only !== undefined || from !== null) return added();
		const page = { calendar, later: later?.totals ?? null, atMs: after?.atMs ?? range.toMs, rows: limit + 1 };
		if (budget === undefined)
			return { later, ...(await sumsOfSelection({ db }, { ...page, range, filters, teams, withoutIdle })), countedMicroUsd: 0n };
		const sums = await sumsOfBudget(db, { budgetId: budget, periods, range, calendar, filters, teams });
		if (sums === null) return added();
		const countedMicroUsd = sums.countedMicroUsd - (later?.countedMicroUsd ?? 0n);
		return { later, totals: less(sums.totals, later?.totals ?? null), countedMicroUsd, places: placesOf(sums.days, page) };
	};
	// Later charges are subtracted from sums that include them. Both must be read in one snapshot; otherwise a charge posted in
	// between would be in only one of them.
	const { later, totals, places, countedMicroUsd } = await (until ? ctx.db.transaction(readFrom, ONE_MOMENT) : readFrom(ctx.db));
	const how = budget !== undefined && (await hasManyJobs(ctx.db, budget, periods)) ? "each" : "all";
	const wanted = and(selected(how), cut, after === null ? undefined : before(after));
	const rows = await readChargeRows(ctx.db, and(within(places), wanted), limit + 1);
	const items = rows.slice(0, limit).map((row) => ({ ...row, cause: causeOf(row) }));
	const last = items.at(-1);
	const nextCursor = rows.length > limit && last ? encodeCursor(last.periodStartMs, last.id) : null;
	return {
		...range,
		zone: calendar.zone,
		items,
		nextCursor,
		totals,
		...{ asOf: until?.view ?? null, since: from?.view ?? null },
		later: later && { charges: later.totals.charges, effectiveMicroUsd: later.totals.effectiveMicroUsd },
		budget: budget === undefined ? null : { id: budget, postedMicroUsd: countedMicroUsd },
		may: { refund: allows(ctx, "rates:change", null) },
	};
}

const ONE_MOMENT = { isolationLevel: "repeatable read", accessMode: "read only" } as const;

/** Excludes idle hardware, by the same condition as the sums. */
const USED = sql`not (capacity_type = 'owned' and class = '')`;

interface Few {
	jobId: string | undefined;
	cause: string | undefined;
	correction: readonly ChargeCorrection[] | undefined;
	lost: LostChoice | undefined;
}

/** Charges of one job, cause, kind of correction or set of failed attempts: few enough to sum directly. */
async function fewCharges(
	ctx: Pick<ServiceContext, "db">,
	range: Interval,
	{ jobId, cause, correction, lost }: Few,
): Promise<{ only: SQL | undefined; place: Interval }> {
	const ofJob = and(
		jobId === undefined ? undefined : eq(charge.jobId, jobId),
		cause === undefined ? undefined : eq(causeColumn(cause), cause),
		correction === undefined ? undefined : inArray(charge.correction, [...correction]),
	);
	if (lost === undefined) return { only: ofJob, place: range };
	const attempts = await lostAttempts(ctx, range, LOST_CHOICES[lost]);
	const ids = ctx.db.select({ id: attempt.id }).from(attempt).where(attempts.lost);
	return { only: and(ofJob, inArray(charge.attemptId, ids)), place: attempts.chargedMs };
}

interface Added {
	totals: ChargeTotals;
	/** The amount that budgets count. */
	countedMicroUsd: bigint;
}

interface Found extends Added {
	/** With a cut: charges posted after it. */
	later: Added | null;
	/** The periods that contain the page's charges. */
	places: Interval[];
}

interface Page {
	calendar: Calendar;
	/** Totals to subtract, because the rollups include charges posted after the cut. */
	later: ChargeTotals | null;
	/** Upper bound: charges of later hours are on earlier pages. */
	atMs: number;
	/** Number of charges wanted. */
	rows: number;
}

interface Selection extends Page {
	range: Interval;
	filters: SpendFilters;
	teams: readonly string[] | null;
	withoutIdle: boolean;
}

/** The selection's sums, and the periods of its next charges, so that empty periods are not searched for rare charges. */
async function sumsOfSelection(ctx: { db: DbOrTx }, s: Selection): Promise<{ totals: ChargeTotals; places: Interval[] }> {
	const query = { groupBy: null, byBucket: true, filters: s.filters, teams: s.teams };
	const wanted = <T extends { idle: boolean }>(sums: T[]): T[] => (s.withoutIdle ? sums.filter(({ idle }) => !idle) : sums);
	const buckets = wanted(await readSums(ctx.db, { ...query, segments: coverRange(s.range, "month", s.calendar), columns: CHARGE_TOTALS }));
	const sumOf = (name: keyof ChargeTotals) => buckets.reduce((sum, b) => sum + b[name], 0n);
	const totals = less(Object.fromEntries(CHARGE_TOTALS.map((name) => [name, sumOf(name)])) as ChargeTotals, s.later);
	const places = placesOf(buckets, s);
	if (restricted(s.filters).length === 0 && s.teams === null && !s.withoutIdle) return { totals, places };
	const months = places.filter((p) => p.toMs - p.fromMs > LONG_MS);
	if (months.length === 0) return { totals, places };
	const days = await readSums(ctx.db, {
		...query,
		segments: months.map((m) => ({ granularity: "day", ...m })),
		columns: ["charges"],
	});
	const short = [...buckets.filter((b) => b.granularity !== "month"), ...wanted(days)];
	return { totals, places: placesOf(short, s) };
}

function less(totals: ChargeTotals, later: ChargeTotals | null): ChargeTotals {
	if (later === null) return totals;
	return Object.fromEntries(CHARGE_TOTALS.map((name) => [name, totals[name] - later[name]])) as ChargeTotals;
}

const LONG_MS = 2 * 86_400_000;

/** Buckets with charges, newest first, until they hold enough in addition to the bucket where the previous page ended. */
function placesOf(buckets: readonly { granularity: string | null; bucketStartMs: number; charges: bigint }[], s: Page): Interval[] {
	const held = new Map<string, { interval: Interval; charges: bigint }>();
	for (const { granularity, bucketStartMs, charges } of buckets) {
		if (granularity !== "hour" && granularity !== "day" && granularity !== "month") continue;
		const interval = { fromMs: bucketStartMs, toMs: nextBucketStartMs(granularity, bucketStartMs, s.calendar) };
		const key = `${granularity}/${bucketStartMs}`;
		held.set(key, { interval, charges: charges + (held.get(key)?.charges ?? 0n) });
	}
	const places: Interval[] = [];
	let count = 0n;
	for (const { interval, charges } of [...held.values()].sort((a, b) => b.interval.fromMs - a.interval.fromMs)) {
		if (charges === 0n || interval.fromMs > s.atMs) continue;
		if (count >= BigInt(s.rows) + (s.later?.charges ?? 0n)) break;
		places.push(interval);
		if (interval.toMs <= s.atMs) count += charges;
	}
	return places;
}

async function sumsOfCharges(ctx: { db: DbOrTx }, where: SQL | undefined): Promise<Added> {
	const sum = (name: keyof typeof charge & keyof ChargeTotals) => sql<string>`coalesce(sum(${charge[name]}), 0)::text`;
	const unknown = (name: "emissionsMilligrams" | "embodiedMilligrams") =>
		sql<string>`coalesce(sum(${charge.gpuMs}) filter (where ${charge[name]} is null), 0)::text`;
	const [row] = await ctx.db
		.select({
			effectiveMicroUsd: sum("effectiveMicroUsd"),
			listMicroUsd: sum("listMicroUsd"),
			contractedMicroUsd: sum("contractedMicroUsd"),
			billedMicroUsd: sum("billedMicroUsd"),
			gpuMs: sum("gpuMs"),
			energyMilliWh: sum("energyMilliWh"),
			measuredEnergyMilliWh: sum("measuredEnergyMilliWh"),
			hourlyGridMilliWh: sum("hourlyGridMilliWh"),
			emissionsMilligrams: sum("emissionsMilligrams"),
			embodiedMilligrams: sum("embodiedMilligrams"),
			emissionsUnknownGpuMs: unknown("emissionsMilligrams"),
			embodiedUnknownGpuMs: unknown("embodiedMilligrams"),
			charges: sql<string>`count(*)::text`,
			counted: sql<string>`coalesce(sum(${BUDGET_COST}), 0)::text`,
		})
		.from(charge)
		.where(where);
	const totals = Object.fromEntries(CHARGE_TOTALS.map((name) => [name, BigInt(row?.[name] ?? 0)])) as ChargeTotals;
	return { totals, countedMicroUsd: BigInt(row?.counted ?? 0) };
}

function within(places: readonly Interval[]): SQL | undefined {
	if (places.length === 0) return sql`false`;
	return or(...places.map((p) => and(gte(charge.periodStart, new Date(p.fromMs)), lt(charge.periodStart, new Date(p.toMs)))));
}

/** One row comparison lets the index scan start there; two alternatives would read the whole day up to that point. */
function before({ atMs, id }: { atMs: number; id: string }): SQL {
	return sql`(${charge.periodStart}, ${charge.id}) < (${new Date(atMs).toISOString()}::timestamptz, ${id})`;
}

/** An id's prefix shows its kind, except for pools, which get their ids from their sites. */
function causeColumn(id: string) {
	if (id.startsWith("ins_")) return charge.instanceId;
	if (id.startsWith("alc_")) return charge.allocationId;
	if (id.startsWith("art_") || isCopyId(id)) return charge.artifactId;
	return id.startsWith("bill_") ? charge.billLineId : charge.poolId;
}

function causeOf(c: Charge): ChargeLine["cause"] {
	if (c.instanceId !== null) return { kind: "instance", id: c.instanceId };
	if (c.allocationId !== null) return { kind: "allocation", id: c.allocationId };
	if (c.poolId !== null) return { kind: "pool", id: c.poolId };
	if (c.artifactId !== null) return { kind: "artifact", id: c.artifactId };
	return { kind: "bill_line", id: c.billLineId ?? "" };
}
