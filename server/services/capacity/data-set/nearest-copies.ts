import { and, eq, gte, inArray } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { readDataSets } from "./list.ts";

/**
 * The job as an attempt at this place receives it: each data set by the address of its copy there, if it has one. `place` is
 * `provider:region`, or the id of an owned site. Of Spillway's own copies, only those at least as recent as the job count.
 */
export async function withNearestCopies(db: DbOrTx, spec: JobSpec, place: string, submittedAt?: Date): Promise<JobSpec> {
	if (spec.data.length === 0) return spec;
	const copies = new Map((await readDataSets(db)).map((set) => [set.uri, set.copies.find((copy) => copy.at === place)?.uri]));
	for (const { uri, readUri } of submittedAt ? await stored(db, spec, place, submittedAt) : []) copies.set(uri, copies.get(uri) ?? readUri);
	return { ...spec, data: spec.data.map((ref) => ({ ...ref, uri: copies.get(ref.uri) ?? ref.uri })) };
}

function stored(db: DbOrTx, { data }: JobSpec, place: string, submittedAt: Date): Promise<{ uri: string; readUri: string }[]> {
	const uris = data.map(({ uri }) => uri);
	return db
		.select({ uri: dataCopy.uri, readUri: dataCopy.readUri })
		.from(dataCopy)
		.where(and(eq(dataCopy.place, place), inArray(dataCopy.uri, uris), gte(dataCopy.asOfAt, submittedAt)));
}
