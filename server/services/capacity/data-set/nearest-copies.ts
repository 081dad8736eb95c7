import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import type { DataRead } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { freshTimes } from "./data-view.ts";
import { readDataSets } from "./read-lists.ts";
import type { DataSet } from "./schemas.ts";

/**
 * The job as an attempt at this place receives it: each data set by the address of its copy there, if it has one, else of the copy that the
 * decision chose. Of Spillway's own copies, only those count that are at least as recent as the job, or still fresh (`freshDays`).
 * @param place `provider:region`, or the id of an owned site
 */
export async function withNearestCopies(
	db: DbOrTx,
	spec: JobSpec,
	place: string,
	submittedAt?: Date,
	reads: readonly DataRead[] = [],
): Promise<JobSpec> {
	if (spec.data.length === 0) return spec;
	const chosen = new Map(reads.map(({ uri, from }) => [uri, from]));
	const copyOf = ({ uri, copies }: DataSet) => copies.find(({ at }) => at === place) ?? copies.find(({ at }) => at === chosen.get(uri));
	const sets = await readDataSets(db);
	const copies = new Map(sets.map((set) => [set.uri, copyOf(set)?.uri]));
	const there = new Set(sets.flatMap((set) => (set.copies.some(({ at }) => at === place) ? [set.uri] : [])));
	for (const { uri, readUri } of submittedAt ? await stored(db, spec, { place, submittedAt, sets }) : [])
		if (!there.has(uri)) copies.set(uri, readUri);
	return { ...spec, data: spec.data.map((ref) => ({ ...ref, uri: copies.get(ref.uri) ?? ref.uri })) };
}

async function stored(
	db: DbOrTx,
	{ data }: JobSpec,
	{ place, submittedAt, sets }: { place: string; submittedAt: Date; sets: readonly DataSet[] },
): Promise<{ uri: string; readUri: string }[]> {
	const uris = data.map(({ uri }) => uri);
	const freshMs = freshTimes(sets);
	const made = await db
		.select({ uri: dataCopy.uri, readUri: dataCopy.readUri, asOfAt: dataCopy.asOfAt })
		.from(dataCopy)
		.where(and(eq(dataCopy.place, place), inArray(dataCopy.uri, uris), isNotNull(dataCopy.asOfAt)));
	return made.filter(({ uri, asOfAt }) => asOfAt !== null && asOfAt.getTime() + (freshMs.get(uri) ?? 0) >= submittedAt.getTime());
}

/** Marks that an attempt reads these copies, so that they are kept. */
export async function markCopiesUsed(db: DbOrTx, spec: JobSpec, nowMs: number): Promise<void> {
	const read = spec.data.map(({ uri }) => uri);
	if (read.length === 0) return;
	const usedAt = sql`greatest(${dataCopy.usedAt}, ${new Date(nowMs).toISOString()}::timestamptz)`;
	await db
		.update(dataCopy)
		.set({ usedAt })
		.where(and(inArray(dataCopy.readUri, read), isNotNull(dataCopy.asOfAt)));
}
