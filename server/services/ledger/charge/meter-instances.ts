import { and, eq, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { Interval } from "#server/accounting/calendar.ts";
import { type Metered, meterUsage, type Usage } from "#server/accounting/meter-usage.ts";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { hold } from "#server/db/schema/budget.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { defined } from "#server/kernel/assert.ts";
import { holdLedgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { measuredMinutes } from "#server/services/pricing/energy/measured-minutes.ts";
import { gridHoursOfMachines } from "#server/services/pricing/energy/power-facts.ts";
import { type HoldPosting, lockBudgetsOfInstances, postToHolds } from "../budget/post-to-holds.ts";
import type { LedgerContext } from "./context.ts";
import { correctionsOfEnded, type Known, readSpotPrices, usageOf } from "./instance-usage.ts";
import { commitmentsOf } from "./meter-commitments.ts";
import { meterEgress } from "./meter-egress.ts";
import { postCharges } from "./post-charges.ts";

/**
 * Instances not yet charged up to now or to their end, and ended instances with an open hold (never launched, or charged up to their end
 * before the end was known), ordered by id.
 */
export async function instancesToMeter(ctx: LedgerContext, options: { nowMs: number; minOpenMs: number }): Promise<string[]> {
	const unmetered = await ctx.db
		.select({ id: instance.id })
		.from(instance)
		.where(and(isNotNull(instance.billedFrom), notMetered(options.nowMs - options.minOpenMs)));
	const held = await ctx.db
		.select({ id: instance.id })
		.from(hold)
		.innerJoin(instance, eq(instance.id, hold.instanceId))
		.where(and(eq(hold.state, "pending"), eq(instance.state, "terminated")));
	return [...new Set([...unmetered, ...held].map((r) => r.id))].sort();
}

function notMetered(beforeMs: number): SQL | undefined {
	return or(
		isNull(instance.meteredUntil),
		and(isNull(instance.billedUntil), lt(instance.meteredUntil, new Date(beforeMs))),
		and(isNotNull(instance.billedUntil), ne(instance.meteredUntil, instance.billedUntil)),
	);
}

/**
 * Charges these instances up to now or their end and posts it to their holds, in one transaction. Instances locked by another transaction
 * are skipped, so a meter never waits while holding locks, and two meters never charge the same time. Returns the ids it settled or
 * charged.
 */
export async function meterInstances(ctx: LedgerContext, ids: readonly string[]): Promise<Set<string>> {
	const cacheKey: object = ctx.db;
	return ctx.db.transaction(async (tx) => {
		await lockBudgetsOfInstances(tx, ids);
		const rows = await claim(tx, ids);
		const nowMs = ctx.clock.nowMs();
		const interval = timeToMeter(rows, nowMs);
		const machines = rows.map((row) => row.instance);
		const grids = await gridHoursOfMachines(tx, cacheKey, machines, interval, nowMs);
		const claimed = machines.map((machine) => machine.id);
		const known = {
			calendar: await holdLedgerCalendar(tx),
			grids,
			measured: await measuredMinutes(tx, claimed, interval),
			prices: await readSpotPrices(tx, rows),
			commitments: await commitmentsOf(tx, rows),
		};
		const metered = await withMore(
			tx,
			rows.map((row) => meterRow(row, known, nowMs)),
		);
		await writeMetered(tx, metered);
		await postToHolds(tx, metered.map(postingOf), nowMs);
		await postCharges(
			tx,
			metered.flatMap((m) => m.charges),
			nowMs,
		);
		return new Set(rows.map((r) => r.instance.id));
	});
}

type Claimed = Awaited<ReturnType<typeof claim>>[number];

async function claim(tx: Tx, ids: readonly string[]) {
	if (ids.length === 0) return [];
	const working = tx
		.select({ id: instance.jobId })
		.from(instance)
		.where(inArray(instance.id, [...ids]));
	// In a separate statement: the nullable side of an outer join cannot be locked.
	const jobs = await tx.select({ id: job.id }).from(job).where(inArray(job.id, working)).for("no key update", { skipLocked: true });
	const jobIds = jobs.map(({ id }) => id);
	return tx
		.select({
			instance,
			work: { team: job.team, project: job.project, class: job.class },
			// The id comes first: the object is null when its first column is.
			times: { id: attempt.id, stagingAt: attempt.stagingAt, startedAt: attempt.startedAt },
		})
		.from(instance)
		.leftJoin(job, eq(job.id, instance.jobId))
		.leftJoin(attempt, eq(attempt.id, instance.attemptId))
		.where(and(inArray(instance.id, [...ids]), or(isNull(instance.jobId), inArray(instance.jobId, jobIds))))
		.for("no key update", { of: instance, skipLocked: true });
}

/** From the earliest to the latest instant that may be charged or reversed. */
function timeToMeter(rows: readonly Claimed[], nowMs: number): Interval {
	const instants = rows.flatMap(({ instance: row }) => {
		const done = row.meteredUntil ?? row.billedFrom;
		return [done, row.billedUntil].flatMap((at) => at?.getTime() ?? []);
	});
	return { fromMs: Math.min(nowMs, ...instants), toMs: Math.max(nowMs, ...instants) };
}

interface MeteredRow extends Metered {
	row: Claimed;
	/** Null while it is not billed. */
	usage: Usage | null;
}

function meterRow(row: Claimed, known: Known, nowMs: number): MeteredRow {
	const meteredUntilMs = row.instance.meteredUntil?.getTime() ?? null;
	const usage = usageOf(row, known);
	if (usage === null) return { row, usage, charges: [], meteredUntilMs: meteredUntilMs ?? nowMs };
	return { row, usage, ...meterUsage(usage, meteredUntilMs, nowMs) };
}

/** Adds late corrections of ended machines, and the egress of all of them. */
async function withMore(tx: Tx, metered: readonly MeteredRow[]): Promise<MeteredRow[]> {
	const ended = metered.flatMap(({ row, usage, charges, meteredUntilMs }) =>
		usage && isSettled({ row, meteredUntilMs }) ? [{ instanceId: row.instance.id, usage, charges, meteredUntilMs }] : [],
	);
	const corrections = await correctionsOfEnded(tx, ended);
	const egress = await meterEgress(
		tx,
		metered.flatMap(({ row, usage }) => (usage ? [{ row: row.instance, usage }] : [])),
	);
	return metered.map((m) => {
		const { id } = m.row.instance;
		return { ...m, charges: [...m.charges, ...(corrections.get(id) ?? []), ...(egress.get(id) ?? [])] };
	});
}

/** Ended, with nothing left to charge: now, or at the next metering when its end is later than our clock. */
function isSettled({ row, meteredUntilMs }: Pick<MeteredRow, "row" | "meteredUntilMs">): boolean {
	return row.instance.terminatedAt !== null && isChargedToItsEnd({ row, meteredUntilMs });
}

/** The machine may still exist, for example while it is terminating and no longer billed. */
function isChargedToItsEnd({ row: { instance: row }, meteredUntilMs }: Pick<MeteredRow, "row" | "meteredUntilMs">): boolean {
	return row.billedFrom === null || (row.billedUntil !== null && meteredUntilMs >= row.billedUntil.getTime());
}

async function writeMetered(tx: Tx, metered: readonly MeteredRow[]): Promise<void> {
	const rows = metered
		.filter((m) => m.row.instance.billedFrom !== null)
		.map((m) => ({
			id: m.row.instance.id,
			cost: m.charges.reduce((sum, c) => sum + c.effectiveMicroUsd, 0n).toString(),
			// Use the end itself, even when another clock puts it before the launch: "settled" is derived from equal times.
			until: isChargedToItsEnd(m) ? defined(m.row.instance.billedUntil, "end").toISOString() : new Date(m.meteredUntilMs).toISOString(),
		}));
	if (rows.length === 0) return;
	await tx.execute(sql`
		update instance set cost_micro_usd = instance.cost_micro_usd + m.cost, metered_until = m.until
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as m(id text, cost bigint, until timestamptz)
		where instance.id = m.id`);
}

function postingOf(m: MeteredRow): HoldPosting {
	const { id, assignedAt } = m.row.instance;
	return {
		instanceId: id,
		charges: m.charges,
		settled: isSettled(m),
		warmSettled: assignedAt !== null && m.meteredUntilMs >= assignedAt.getTime(),
	};
}
