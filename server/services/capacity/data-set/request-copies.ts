import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import { newId } from "#server/kernel/ids.ts";
import type { Plan, Snapshot } from "#server/scheduling/types.ts";
import { readDataStores } from "./list.ts";

/**
 * Requests the copies that jobs of this plan wait for. Repeating a request has no effect while a recent one is in progress or
 * waits after a failure. Returns the number of requests.
 */
export async function requestCopies(db: Db, { pending, data, nowMs }: Snapshot, plan: Plan): Promise<number> {
	if (!plan.copyAhead) return 0;
	const newest = new Map<string, { uri: string; place: string; submittedAtMs: number; team: string | null }>();
	const jobs = new Map(pending.map((job) => [job.jobId, job]));
	for (const [jobId, { place, uris }] of plan.copyAhead) {
		const submittedAtMs = jobs.get(jobId)?.submittedAtMs ?? nowMs;
		const team = jobs.get(jobId)?.spec.team ?? null;
		for (const uri of uris) {
			const known = data?.copiesAhead?.get(place)?.get(uri);
			if ((known?.beganMs ?? Number.NEGATIVE_INFINITY) >= submittedAtMs || (known?.retryAtMs ?? 0) > nowMs) continue;
			const key = `${place} ${uri}`;
			if ((newest.get(key)?.submittedAtMs ?? 0) < submittedAtMs) newest.set(key, { uri, place, submittedAtMs, team });
		}
	}
	if (newest.size === 0) return 0;
	const stores = new Map((await readDataStores(db)).map((store) => [store.at, store]));
	const rows = [...newest.values()].flatMap(({ uri, place, submittedAtMs, team }) => {
		const store = stores.get(place);
		if (!store) return [];
		const folder = folderOf(uri);
		return {
			...{ id: newId("cpy", nowMs), uri, place, team, wantedAt: new Date(submittedAtMs), usedAt: new Date(nowMs) },
			readUri: below(store.uri, folder),
			writeUri: below(store.writeUri ?? store.uri, folder),
		};
	});
	if (rows.length === 0) return 0;
	const asked = await db
		.insert(dataCopy)
		.values(rows)
		.onConflictDoUpdate({
			target: [dataCopy.uri, dataCopy.place],
			set: {
				wantedAt: sql`greatest(${dataCopy.wantedAt}, excluded.wanted_at)`,
				usedAt: sql`excluded.used_at`,
				team: sql`excluded.team`,
				// A store that moved is still empty.
				asOfAt: sql`case when ${dataCopy.writeUri} = excluded.write_uri then ${dataCopy.asOfAt} end`,
				readUri: sql`excluded.read_uri`,
				writeUri: sql`excluded.write_uri`,
			},
			setWhere: sql`${dataCopy.retryAt} is null or ${dataCopy.retryAt} <= ${new Date(nowMs).toISOString()}::timestamptz`,
		})
		.returning({ id: dataCopy.id });
	return asked.length;
}

/** A separate folder for each set, with a generated name: sets cannot overwrite each other. */
function folderOf(uri: string): string {
	return createHash("sha256").update(uri).digest("hex").slice(0, 24);
}

function below(store: string, folder: string): string {
	return `${store.replace(/\/+$/, "")}/${folder}`;
}
