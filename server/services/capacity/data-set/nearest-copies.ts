import { and, eq, gte, inArray } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import type { DataRead } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { readDataSets } from "./list.ts";
import type { DataSet } from "./schemas.ts";

/**
 * The job as an attempt at this place receives it: each data set by the address of its copy there, if it has one, else of the copy that the
 * decision chose. `place` is
 * `provider:region`, or the id of an owned site. Of Spillway's own copies, only those at least as recent as the job count.
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
	for (const { uri, readUri } of submittedAt ? await stored(db, spec, place, submittedAt) : [])
		if (!there.has(uri)) copies.set(uri, readUri);
	return { ...spec, data: spec.data.map((ref) => ({ ...ref, uri: copies.get(ref.uri) ?? ref.uri })) };
}

function stored(db: DbOrTx, { data }: JobSpec, place: string, submittedAt: Date): Promise<{ uri: string; readUri: string }[]> {
	const uris = data.map(({ uri }) => uri);
	return db
		.select({ uri: dataCopy.uri, readUri: dataCopy.readUri })
		.from(dataCopy)
		.where(and(eq(dataCopy.place, place), inArray(dataCopy.uri, uris), gte(dataCopy.asOfAt, submittedAt)));
}
