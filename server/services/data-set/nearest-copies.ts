import type { DbOrTx } from "#server/db/client.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { readDataSets } from "./list.ts";

/**
 * The job as an attempt at this place gets it: each data set by the address of its copy there, where it has one. `place` is
 * `provider:region`, or the id of an owned site.
 */
export async function withNearestCopies(db: DbOrTx, spec: JobSpec, place: string): Promise<JobSpec> {
	if (spec.data.length === 0) return spec;
	const copies = new Map((await readDataSets(db)).map((set) => [set.uri, set.copies.find((copy) => copy.at === place)?.uri]));
	return { ...spec, data: spec.data.map((ref) => ({ ...ref, uri: copies.get(ref.uri) ?? ref.uri })) };
}
