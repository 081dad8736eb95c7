import { createHash } from "node:crypto";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import { newId } from "#server/kernel/ids.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { PendingJob, Plan, Snapshot } from "#server/scheduling/types.ts";
import { lockBudgetsOfJobs } from "#server/services/ledger/budget/post-to-budgets.ts";
import { holdCopy, pricedSource } from "#server/services/ledger/charge/copy-egress.ts";
import { readDataStores } from "./read-lists.ts";
import { UNWANTED } from "./record-copies.ts";
import type { DataStore } from "./schemas.ts";

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
	await markSourcesUsed(db, wanted, nowMs);
	return requestEach(
		db,
		wanted.flatMap(({ uri, place, from, job }): CopyRequest[] => {
			const store = stores.get(place);
			const gib = job.spec.data.find((ref) => ref.uri === uri)?.sizeGiB ?? 0;
			const { jobId, spec, submittedAtMs } = job;
			return store ? [{ uri, store, from, gib, jobId, team: spec.team, submittedAtMs }] : [];
		}),
		nowMs,
	);
}

/** A copy to request. Its egress is held and charged for the job. */
export interface CopyRequest {
	uri: string;
	store: DataStore;
	from: string;
	gib: number;
	jobId: string;
	team: string;
	/** The copy must have the data as of this time, UTC ms. */
	submittedAtMs: number;
}

/** Requests copies, after reserving the egress of sources in a cloud in their jobs' budgets. Returns how many were requested. */
export async function requestEach(db: Db, requests: readonly CopyRequest[], nowMs: number): Promise<number> {
	const free = requests.filter(({ from }) => pricedSource(from) === null);
	let asked = (
		await upsertCopies(
			db,
			free.map((request) => rowOf(request, nowMs)),
			nowMs,
		)
	).length;
	for (const request of requests) if (pricedSource(request.from) !== null) asked += await requestPaid(db, request, nowMs);
	return asked;
}

function rowOf({ uri, store, from, jobId, team, submittedAtMs }: CopyRequest, nowMs: number): NewCopy {
	const folder = folderOf(uri);
	const at = { wantedAt: new Date(submittedAtMs), usedAt: new Date(nowMs) };
	const urls = { readUri: below(store.uri, folder), writeUri: below(store.writeUri ?? store.uri, folder) };
	return { id: newId("cpy", nowMs), uri, place: store.at, fromPlace: from, jobId, team, ...at, ...urls };
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

async function requestPaid(db: Db, request: CopyRequest, nowMs: number): Promise<number> {
	const { from, jobId, gib } = request;
	return db.transaction(async (tx) => {
		const budgets = await lockBudgetsOfJobs(tx, [jobId]);
		const [copy] = await upsertCopies(tx, [rowOf(request, nowMs)], nowMs);
		if (!copy) return 0;
		const hold = { copyId: copy.id, jobId, from, bytes: BigInt(Math.ceil(gib * GIB)), budgets, nowMs };
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
