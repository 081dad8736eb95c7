import { and, asc, gte, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import type { CopyAhead, DataView as KnownData } from "#server/scheduling/types.ts";

/** A copy in a region's store, for display. */
export interface StoredCopy {
	uri: string;
	at: string;
	/** Time of the data it contains completely; null when it is not complete yet. */
	asOfMs: number | null;
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
export async function readStoredCopies(db: DbOrTx): Promise<StoredCopy[]> {
	const rows = await db.select().from(dataCopy).orderBy(asc(dataCopy.uri), asc(dataCopy.place));
	return rows.map((row) => ({
		uri: row.uri,
		at: row.place,
		asOfMs: row.asOfAt?.getTime() ?? null,
		copying: wanted(row),
		error: row.error,
	}));
}

/** In the form the decision core uses. Cost: one read of all of them. */
export async function readCopiesAhead(db: DbOrTx): Promise<NonNullable<KnownData["copiesAhead"]>> {
	const byPlace = new Map<string, Map<string, CopyAhead>>();
	for (const row of await db.select().from(dataCopy).orderBy(asc(dataCopy.place), asc(dataCopy.uri))) {
		const at = byPlace.get(row.place) ?? new Map<string, CopyAhead>();
		byPlace.set(row.place, at);
		// A queued copy has no start yet, so the time of its last request counts.
		const began = row.beganAt !== null && row.beganAt >= row.wantedAt ? row.beganAt : row.usedAt;
		at.set(row.uri, {
			asOfMs: row.asOfAt?.getTime() ?? null,
			beganMs: wanted(row) ? began.getTime() : null,
			retryAtMs: row.retryAt?.getTime() ?? null,
			problem: row.error,
		});
	}
	return byPlace;
}

/** Transfer speed into each store: the mean of the last run of each set that moved enough data. */
export async function readStoreSpeeds(db: DbOrTx): Promise<Map<string, number>> {
	const rows = await db
		.select({ place: dataCopy.place, mibPerS: sql<number>`avg(${dataCopy.mibPerS})`.mapWith(Number) })
		.from(dataCopy)
		.where(gte(dataCopy.mibPerS, 0))
		.groupBy(dataCopy.place);
	return new Map(rows.map(({ place, mibPerS }) => [place, mibPerS]));
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
