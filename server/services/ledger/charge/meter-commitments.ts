import { and, eq, gte, inArray, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import { type ChargeDraft, NO_AMOUNTS } from "#server/accounting/amounts.ts";
import { bucketStartMs, type Interval, splitAtHours } from "#server/accounting/calendar.ts";
import { amortizedUntil, type Commitment } from "#server/accounting/commitment.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import type { Tx } from "#server/db/client.ts";
import { charge } from "#server/db/schema/charge.ts";
import { instance } from "#server/db/schema/instance.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { holdLedgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { readCommitments } from "#server/services/pricing/commitment/commitments.ts";
import { COMMITMENT_ID } from "#server/services/pricing/commitment/seats.ts";
import { progressKey } from "./commitment-progress.ts";
import type { LedgerContext } from "./context.ts";
import type { Machine } from "./instance-usage.ts";
import { postCharges } from "./post-charges.ts";

/** Number of hours compared with the ledger again, for data that arrived late. */
const AGAIN_MS = 2 * DAY_MS;
/** An hour is closed this long after its end, once every machine has been charged beyond it. */
const CLOSED_AFTER_MS = HOUR_MS;
const STEP_MS = 7 * DAY_MS;
/** Terminated machines that were intended longer than this before a launch are ignored when counting a commitment's room. */
const LIFE_MAX_MS = 31 * DAY_MS;

/** The commitment that pays for each of these machines: the one it was launched on, otherwise one that had room at its launch. */
export async function commitmentsOf(tx: Tx, machines: readonly Machine[]): Promise<Map<string, Commitment>> {
	const reserved = machines.flatMap(({ instance: row }) => (row.capacityType === "reserved" && row.billedFrom ? [row] : []));
	const commitments = reserved.length === 0 ? [] : await readCommitments(tx);
	if (commitments.length === 0) return new Map();
	const firstMs = Math.min(...reserved.map((row) => row.billedFrom?.getTime() ?? Number.POSITIVE_INFINITY));
	const siteIds = [...new Set(commitments.map((c) => c.siteId))];
	const all = await tx
		.select({
			...{ id: instance.id, siteId: instance.siteId, region: instance.region, instanceType: instance.instanceType },
			...{ billedFrom: instance.billedFrom, billedUntil: instance.billedUntil, commitmentId: COMMITMENT_ID },
		})
		.from(instance)
		.where(
			and(
				eq(instance.capacityType, "reserved"),
				inArray(instance.siteId, siteIds),
				or(ne(instance.state, "terminated"), gte(instance.intendedAt, new Date(firstMs - LIFE_MAX_MS))),
			),
		);
	const found = new Map<string, Commitment>();
	for (const row of reserved) {
		const sinceMs = row.billedFrom?.getTime() ?? 0;
		const fits = commitments.find((c) => {
			const commitmentId = row.offer.commitmentId ?? null;
			if (!covers(c, { ...row, commitmentId }) || sinceMs >= c.toMs) return false;
			// Its seat was counted in the transaction that placed it (offer/has-seats.ts), and stays taken while it runs.
			if (commitmentId !== null) return true;
			const before = all.filter((other) => covers(c, other) && isBefore(other, row.id, sinceMs));
			return before.length < c.instances;
		});
		if (fits) found.set(row.id, fits);
	}
	return found;
}

/** Whether it was billed before this machine and still billed when this machine's billing began. */
function isBefore(other: { id: string; billedFrom: Date | null; billedUntil: Date | null }, id: string, sinceMs: number): boolean {
	if (other.billedFrom === null || other.id === id) return false;
	const atMs = other.billedFrom.getTime();
	const earlier = atMs < sinceMs || (atMs === sinceMs && other.id < id);
	return earlier && (other.billedUntil === null || other.billedUntil.getTime() > sinceMs);
}

/** A machine launched on one commitment takes no room in another. */
function covers(c: Commitment, row: { siteId: string; region: string; instanceType: string; commitmentId: string | null }): boolean {
	if (row.commitmentId !== null && row.commitmentId !== c.id) return false;
	return row.siteId === c.siteId && row.instanceType === c.instanceType && (c.region === null || c.region === row.region);
}

/**
 * Charges the unused part of every commitment, hour by hour up to the last closed one: its amortised cost less the charges of
 * its machines. Changes within the following two days are corrected.
 */
export async function meterCommitments(ctx: LedgerContext): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	for (const commitment of await readCommitments(ctx.db)) while (!(await meterCommitment(ctx, commitment, nowMs))) {}
}

async function meterCommitment(ctx: LedgerContext, commitment: Commitment, nowMs: number): Promise<boolean> {
	return ctx.db.transaction(async (tx) => {
		const key = progressKey(commitment.id);
		await tx.insert(setting).values({ key, value: commitment.fromMs }).onConflictDoNothing();
		const [row] = await tx.select({ value: setting.value }).from(setting).where(eq(setting.key, key)).for("update");
		const [place] = await tx.select({ provider: site.provider }).from(site).where(eq(site.id, commitment.siteId));
		const doneMs = Number(row?.value ?? commitment.fromMs);
		const overMs = Math.min(commitment.toMs, bucketStartMs("hour", nowMs - CLOSED_AFTER_MS));
		if (!place || overMs <= doneMs) return true;
		const closedMs = Math.min(overMs, bucketStartMs("hour", await chargedUntilMs(tx, commitment)));
		const untilMs = Math.min(closedMs, doneMs + STEP_MS);
		if (untilMs <= doneMs) return true;
		const calendar = await holdLedgerCalendar(tx);
		const again = bucketStartMs("hour", Math.max(commitment.fromMs, doneMs - AGAIN_MS), calendar);
		const drafts = await unusedCharges(
			tx,
			commitment,
			place.provider,
			{ fromMs: Math.max(commitment.fromMs, again), toMs: untilMs },
			calendar,
		);
		await tx.update(setting).set({ value: untilMs }).where(eq(setting.key, key));
		await postCharges(tx, drafts, nowMs);
		return untilMs >= closedMs;
	});
}

/**
 * The instant up to which every machine that the commitment may pay is charged: infinite when all are charged to their end. A machine that
 * another meter skipped or has locked may still use its hours, so they are not unused yet.
 */
async function chargedUntilMs(tx: Tx, c: Commitment): Promise<number> {
	const chargedUntil = sql`coalesce(${instance.meteredUntil}, ${instance.billedFrom})`;
	const [row] = await tx
		.select({ atMs: sql<string | null>`(extract(epoch from min(${chargedUntil})) * 1000)::bigint::text` })
		.from(instance)
		.where(
			and(
				...[eq(instance.siteId, c.siteId), eq(instance.capacityType, "reserved"), eq(instance.instanceType, c.instanceType)],
				sql`coalesce(${COMMITMENT_ID}, ${c.id}) = ${c.id}`,
				isNotNull(instance.billedFrom),
				or(isNull(instance.billedUntil), isNull(instance.meteredUntil), ne(instance.meteredUntil, instance.billedUntil)),
			),
		);
	return row?.atMs ? Number(row.atMs) : Number.MAX_SAFE_INTEGER;
}

async function unusedCharges(tx: Tx, c: Commitment, provider: Provider, time: Interval, calendar: Calendar): Promise<ChargeDraft[]> {
	const used = await sumByHour(tx, time, calendar, c, "used");
	const posted = await sumByHour(tx, time, calendar, c, "unused");
	return splitAtHours(time, calendar).flatMap((piece): ChargeDraft[] => {
		const hour = bucketStartMs("hour", piece.fromMs, calendar);
		const cost = amortizedUntil(c, piece.toMs) - amortizedUntil(c, piece.fromMs);
		const missing = cost - (used.get(hour) ?? 0n) - (posted.get(hour) ?? 0n);
		if (missing === 0n) return [];
		return [
			{
				...{ periodStartMs: piece.fromMs, periodEndMs: piece.toMs },
				dimensions: {
					...{ team: "", project: "", class: "" as const, siteId: c.siteId, provider, region: c.region ?? "" },
					...{ capacityType: "reserved" as const, accelerator: c.accelerator, kind: "commitment" as const },
				},
				// A commitment is capacity owned for a limited time: its id takes the place of a pool's id.
				...{ jobId: null, attemptId: null, instanceId: null, allocationId: null, poolId: c.id, billLineId: null },
				correction: posted.has(hour) ? "use_learnt_late" : null,
				...NO_AMOUNTS,
				effectiveMicroUsd: missing,
			},
		];
	});
}

/** Charges of covered machines (with an effective cost and nothing billed), or charges posted as unused. */
async function sumByHour(tx: Tx, time: Interval, calendar: Calendar, c: Commitment, of: "used" | "unused"): Promise<Map<number, bigint>> {
	const quarter = sql`date_bin('15 minutes', ${charge.periodStart}, timestamptz '2000-01-01 00:00:00Z')`;
	const mine =
		of === "unused"
			? and(eq(charge.kind, "commitment"), eq(charge.poolId, c.id))
			: and(
					eq(charge.capacityType, "reserved"),
					eq(instance.instanceType, c.instanceType),
					c.region === null ? undefined : eq(charge.region, c.region),
					eq(charge.billedMicroUsd, 0n),
					sql`coalesce(${COMMITMENT_ID}, ${c.id}) = ${c.id}`,
					or(isNull(charge.correction), eq(charge.correction, "end_learnt_late")),
				);
	const rows = await tx
		.select({
			atMs: sql<string>`(extract(epoch from ${quarter}) * 1000)::bigint::text`,
			sum: sql<string>`sum(${charge.effectiveMicroUsd})::text`,
		})
		.from(charge)
		.leftJoin(instance, eq(instance.id, charge.instanceId))
		.where(
			and(gte(charge.periodStart, new Date(time.fromMs)), lt(charge.periodStart, new Date(time.toMs)), eq(charge.siteId, c.siteId), mine),
		)
		.groupBy(sql`1`);
	const sums = new Map<number, bigint>();
	for (const { atMs, sum } of rows) {
		const hour = bucketStartMs("hour", Number(atMs), calendar);
		sums.set(hour, (sums.get(hour) ?? 0n) + BigInt(sum));
	}
	return sums;
}
