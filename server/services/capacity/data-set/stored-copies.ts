import { and, asc, eq, exists, getTableColumns, gte, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import { monthlyStorageMicroUsd } from "#server/accounting/storage-cost.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { copyHold, dataCopy } from "#server/db/schema/data-copy.ts";
import { job } from "#server/db/schema/job.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { linkKey } from "#server/scheduling/link-speed.ts";
import type { CopyAhead, DataView as KnownData } from "#server/scheduling/types.ts";
import type { DataStore } from "./schemas.ts";

/** A copy that no job requested for this long is deleted, as at owned sites. */
export const KEPT_UNUSED_MS = 7 * DAY_MS;

/** Whether a live job names the data set. */
export const isInUse = sql<boolean>`exists (select 1 from ${job} where ${isNull(job.finishedAt)} and ${job.spec}->'data' @> jsonb_build_array(jsonb_build_object('uri', ${dataCopy.uri})))`;

/** A copy in a region's store, for display. */
export interface StoredCopy {
	uri: string;
	at: string;
	/** The team of the job that last requested it; null if unknown. */
	team: string | null;
	/** Its size in the store; null if unknown. */
	bytes: number | null;
	/** Its storage cost per month at the store's price; null if the size or the price is unknown. */
	microUsdPerMonth: bigint | null;
	/** When a job last requested it. */
	usedAtMs: number;
	/** When it is deleted, unless a job requests it; null while a live job names it. */
	deletedAtMs: number | null;
	/** Time of the data it contains completely; null when it is not complete yet. */
	asOfMs: number | null;
	/** Place that it is copied from; null: copied by an earlier release, from an owned site. */
	from: string | null;
	/** Whether it is being copied or queued. */
	copying: boolean;
	/** The last attempt's error. */
	error: string | null;
}

type Row = typeof dataCopy.$inferSelect;

/** Whether a job submitted since the last successful copy began waits for it. */
export const isWanted = or(isNull(dataCopy.asOfAt), lt(dataCopy.asOfAt, dataCopy.wantedAt));

function wanted({ asOfAt, wantedAt }: Row): boolean {
	return asOfAt === null ? wantedAt.getTime() > 0 : asOfAt < wantedAt;
}

/** By name, then place. */
export async function readStoredCopies(db: DbOrTx, stores: readonly DataStore[]): Promise<StoredCopy[]> {
	const rows = await db.select({ row: dataCopy, isInUse }).from(dataCopy).orderBy(asc(dataCopy.uri), asc(dataCopy.place));
	const prices = new Map(stores.map(({ at, usdPerGiBMonth }) => [at, usdPerGiBMonth]));
	return rows.map(({ row, isInUse: used }) => {
		const price = prices.get(row.place);
		const usedAtMs = row.usedAt.getTime();
		return {
			...{ uri: row.uri, at: row.place, team: row.team },
			bytes: row.storedBytes === null ? null : Number(row.storedBytes),
			microUsdPerMonth: row.storedBytes === null || price === undefined ? null : monthlyStorageMicroUsd(row.storedBytes, usdToMicro(price)),
			...{ usedAtMs, deletedAtMs: used ? null : usedAtMs + KEPT_UNUSED_MS },
			...{ asOfMs: row.asOfAt?.getTime() ?? null, from: row.fromPlace, copying: wanted(row), error: row.error },
		};
	});
}

/** In the form the decision core uses. Cost: one read of all of them. */
export async function readCopiesAhead(db: DbOrTx): Promise<NonNullable<KnownData["copiesAhead"]>> {
	const byPlace = new Map<string, Map<string, CopyAhead>>();
	const held = exists(db.select({ one: sql`1` }).from(copyHold).where(eq(copyHold.copyId, dataCopy.id)));
	const rows = await db
		.select({ ...getTableColumns(dataCopy), held: sql<boolean>`${held}` })
		.from(dataCopy)
		.orderBy(asc(dataCopy.place), asc(dataCopy.uri));
	for (const row of rows) {
		const at = byPlace.get(row.place) ?? new Map<string, CopyAhead>();
		byPlace.set(row.place, at);
		// A queued copy has no start yet, so the time of its last request counts.
		const began = row.beganAt !== null && row.beganAt >= row.wantedAt ? row.beganAt : row.usedAt;
		at.set(row.uri, {
			asOfMs: row.asOfAt?.getTime() ?? null,
			beganMs: wanted(row) ? began.getTime() : null,
			retryAtMs: row.retryAt?.getTime() ?? null,
			problem: row.error,
			...(row.held && { held: true }),
		});
	}
	return byPlace;
}

/** Transfer speed from home into each store: the mean of the last run of each set that moved enough data. */
export async function readStoreSpeeds(db: DbOrTx): Promise<Map<string, number>> {
	const rows = await db
		.select({ place: dataCopy.place, mibPerS: sql<number>`avg(${dataCopy.mibPerS})`.mapWith(Number) })
		.from(dataCopy)
		.where(and(gte(dataCopy.mibPerS, 0), or(isNull(dataCopy.fromPlace), sql`position(':' in ${dataCopy.fromPlace}) = 0`)))
		.groupBy(dataCopy.place);
	return new Map(rows.map(({ place, mibPerS }) => [place, mibPerS]));
}

/** Mean speed of copies between two places, by link: the last run of each set that moved enough data. */
export async function readCopySpeeds(db: DbOrTx): Promise<Map<string, number>> {
	const rows = await db
		.select({ from: dataCopy.fromPlace, place: dataCopy.place, mibPerS: sql<number>`avg(${dataCopy.mibPerS})`.mapWith(Number) })
		.from(dataCopy)
		.where(and(gte(dataCopy.mibPerS, 0), isNotNull(dataCopy.fromPlace)))
		.groupBy(dataCopy.fromPlace, dataCopy.place)
		.orderBy(dataCopy.fromPlace, dataCopy.place);
	return new Map(rows.map(({ from, place, mibPerS }) => [linkKey(from ?? "", place), mibPerS]));
}

/** Copies due now, oldest request first. */
export async function dueCopies(db: DbOrTx, nowMs: number, atMost: number): Promise<Row[]> {
	const notBefore = or(isNull(dataCopy.retryAt), lte(dataCopy.retryAt, new Date(nowMs)));
	const asked = gte(dataCopy.wantedAt, new Date(1));
	return db
		.select()
		.from(dataCopy)
		.where(and(isWanted, asked, notBefore))
		.orderBy(asc(dataCopy.usedAt), asc(dataCopy.id))
		.limit(atMost);
}
