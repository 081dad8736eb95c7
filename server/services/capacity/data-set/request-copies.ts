import { createHash } from "node:crypto";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import { newId } from "#server/kernel/ids.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { PendingJob, Plan, Snapshot } from "#server/scheduling/types.ts";
import { lockBudgetsOfJobs } from "#server/services/ledger/budget/post-to-budgets.ts";
import { holdCopy, pricedSource } from "#server/services/ledger/charge/copy-egress.ts";
import { readDataStores } from "./list.ts";
import { UNWANTED } from "./record-copies.ts";

/** A job that waits for a copy. */
interface Wanted {
	uri: string;
	place: string;
	from: string;
	job: PendingJob;
}

type NewCopy = typeof dataCopy.$inferInsert;

const GIB = 1024 ** 3;
/** A budget that refused a copy is asked again after this time. */
const REFUSED_PAUSE_MS = MINUTE_MS;

/**
 * Requests the copies that jobs of this plan wait for. Repeating a request has no effect while a recent one is in progress or
 * waits after a failure. Egress of a source in a cloud is reserved in the newest job's budgets first. Returns the number of requests.
 */
export async function requestCopies(db: Db, snapshot: Snapshot, plan: Plan): Promise<number> {
	const { nowMs } = snapshot;
	const wanted = newestByCopy(snapshot, plan);
	if (wanted.length === 0) return 0;
	const stores = new Map((await readDataStores(db)).map((store) => [store.at, store]));
	const rows = wanted.flatMap(({ uri, place, from, job }): { row: NewCopy; from: string; job: PendingJob }[] => {
		const store = stores.get(place);
		if (!store) return [];
		const folder = folderOf(uri);
		const at = { wantedAt: new Date(job.submittedAtMs), usedAt: new Date(nowMs) };
		const urls = { readUri: below(store.uri, folder), writeUri: below(store.writeUri ?? store.uri, folder) };
		const row = { id: newId("cpy", nowMs), uri, place, fromPlace: from, jobId: job.jobId, team: job.spec.team, ...at, ...urls };
		return [{ row, from, job }];
	});
	await markSourcesUsed(db, wanted, nowMs);
	const free = rows.filter(({ from }) => pricedSource(from) === null).map(({ row }) => row);
	let asked = (await upsertCopies(db, free, nowMs)).length;
	for (const paid of rows) if (pricedSource(paid.from) !== null) asked += await requestPaid(db, paid, nowMs);
	return asked;
}

/** For each copy, the newest job that waits for it. */
function newestByCopy({ pending, data, nowMs }: Snapshot, plan: Plan): Wanted[] {
	if (!plan.copyAhead) return [];
	const newest = new Map<string, Wanted>();
	const jobs = new Map(pending.map((job) => [job.jobId, job]));
	for (const [jobId, { place, uris, from }] of plan.copyAhead) {
		const job = jobs.get(jobId);
		if (!job) continue;
		for (const uri of uris) {
			const known = data?.copiesAhead?.get(place)?.get(uri);
			if ((known?.beganMs ?? Number.NEGATIVE_INFINITY) >= job.submittedAtMs || (known?.retryAtMs ?? 0) > nowMs) continue;
			const key = `${place} ${uri}`;
			if ((newest.get(key)?.job.submittedAtMs ?? 0) < job.submittedAtMs) newest.set(key, { uri, place, from: from[uri] ?? "", job });
		}
	}
	return [...newest.values()];
}

/** A copy that is a source counts as used, so that it is not deleted meanwhile. */
async function markSourcesUsed(db: Db, wanted: readonly Wanted[], nowMs: number): Promise<void> {
	for (const [from, of] of Map.groupBy(wanted, (w) => w.from)) {
		const uris = of.map(({ uri }) => uri);
		await db
			.update(dataCopy)
			.set({ usedAt: new Date(nowMs) })
			.where(and(eq(dataCopy.place, from), inArray(dataCopy.uri, uris)));
	}
}

async function requestPaid(db: Db, { row, from, job }: { row: NewCopy; from: string; job: PendingJob }, nowMs: number): Promise<number> {
	return db.transaction(async (tx) => {
		const budgets = await lockBudgetsOfJobs(tx, [job.jobId]);
		const [copy] = await upsertCopies(tx, [row], nowMs);
		if (!copy) return 0;
		const gib = job.spec.data.find(({ uri }) => uri === row.uri)?.sizeGiB ?? 0;
		const hold = { copyId: copy.id, jobId: job.jobId, from, bytes: BigInt(Math.ceil(gib * GIB)), budgets, nowMs };
		const error = await holdCopy(tx, hold);
		if (error === null) return 1;
		const refused = { error, retryAt: new Date(nowMs + REFUSED_PAUSE_MS), wantedAt: copy.asOfAt ?? UNWANTED };
		await tx.update(dataCopy).set(refused).where(eq(dataCopy.id, copy.id));
		return 0;
	});
}

async function upsertCopies(db: DbOrTx, rows: NewCopy[], nowMs: number): Promise<{ id: string; asOfAt: Date | null }[]> {
	if (rows.length === 0) return [];
	return db
		.insert(dataCopy)
		.values(rows)
		.onConflictDoUpdate({
			target: [dataCopy.uri, dataCopy.place],
			set: {
				wantedAt: sql`greatest(${dataCopy.wantedAt}, excluded.wanted_at)`,
				usedAt: sql`excluded.used_at`,
				team: sql`excluded.team`,
				fromPlace: sql`excluded.from_place`,
				jobId: sql`excluded.job_id`,
				// A store that moved is still empty.
				asOfAt: sql`case when ${dataCopy.writeUri} = excluded.write_uri then ${dataCopy.asOfAt} end`,
				readUri: sql`excluded.read_uri`,
				writeUri: sql`excluded.write_uri`,
			},
			setWhere: sql`${dataCopy.retryAt} is null or ${dataCopy.retryAt} <= ${new Date(nowMs).toISOString()}::timestamptz`,
		})
		.returning({ id: dataCopy.id, asOfAt: dataCopy.asOfAt });
}

/** A separate folder for each set, with a generated name: sets cannot overwrite each other. */
function folderOf(uri: string): string {
	return createHash("sha256").update(uri).digest("hex").slice(0, 24);
}

function below(store: string, folder: string): string {
	return `${store.replace(/\/+$/, "")}/${folder}`;
}
