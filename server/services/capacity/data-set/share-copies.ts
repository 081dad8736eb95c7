import { sql } from "drizzle-orm";
import { monthlyStorageMicroUsd } from "#server/accounting/storage-cost.ts";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { storedAt } from "#server/scheduling/copy-ahead.ts";
import { judgeSharing, SHARING_WINDOW_MS, type Sharing } from "#server/scheduling/share-copy.ts";
import type { DataView as KnownData } from "#server/scheduling/types.ts";
import { pricedSource } from "#server/services/ledger/charge/copy-egress.ts";
import { freshTimes, readDataView } from "./data-view.ts";
import { readDataSets, readDataStores } from "./read-lists.ts";
import { requestEach } from "./request-copies.ts";
import type { DataStore } from "./schemas.ts";
import { readCopiesAhead } from "./stored-copies.ts";

const GIB = 1024 ** 3;
/** The newest attempts that count, so that the query stays cheap. */
const MOST_ATTEMPTS = 2_000;

/** A data set that jobs at a place with a store read from elsewhere at a price. */
export interface SharedSet extends Sharing {
	uri: string;
	/** The store's place. */
	at: string;
	jobs: number;
	/** Egress of their reads in the last 30 days, as held, µ$. */
	egressMicroUsd: number;
	/** Whether the store makes such copies by itself. */
	share: boolean;
	/** Team of the job that last read it, which pays for the copy's egress. */
	team: string;
}

interface Candidate extends SharedSet {
	store: DataStore;
	from: string;
	gib: number;
	jobId: string;
	submittedAtMs: number;
}

interface Read extends Record<string, unknown> {
	uri: string;
	place: string;
	jobs: number;
	micro_usd: string;
	job_id: string;
	team: string;
	submitted_ms: string;
	gib: number | null;
}

/** Sets with a known size and `freshDays` that have no fresh copy at the place yet, the highest saving first. */
export async function readSharing(db: DbOrTx, nowMs: number): Promise<SharedSet[]> {
	return (await findCandidates(db, nowMs)).map(
		({ store: _store, from: _from, gib: _gib, jobId: _jobId, submittedAtMs: _submittedAtMs, ...shown }) => shown,
	);
}

/** Requests the copies that pay for themselves in stores with `share`. Repeating it has no effect while they are made. */
export async function requestSharedCopies(db: Db, nowMs: number): Promise<number> {
	const worth = (await findCandidates(db, nowMs)).filter(({ isWorth, share }) => isWorth && share);
	return requestEach(db, worth, nowMs);
}

async function findCandidates(db: DbOrTx, nowMs: number): Promise<Candidate[]> {
	const stores = new Map((await readDataStores(db)).map((store) => [store.at, store]));
	const fresh = freshTimes(await readDataSets(db));
	if (stores.size === 0 || fresh.size === 0) return [];
	const reads = (await readReads(db, nowMs)).filter(({ uri, place }) => fresh.has(uri) && stores.has(place));
	if (reads.length === 0) return [];
	const view = { ...(await readDataView(db, nowMs, undefined)), copiesAhead: await readCopiesAhead(db) };
	const found = reads.flatMap((read) => candidateOf(read, { view, store: stores.get(read.place), freshMs: fresh.get(read.uri), nowMs }));
	return found.sort((a, b) => b.savedMicroUsd - a.savedMicroUsd || (a.uri < b.uri ? -1 : 1));
}

function candidateOf(
	{ uri, place, jobs, micro_usd, job_id, team, submitted_ms, gib }: Read,
	{ view, store, freshMs, nowMs }: { view: KnownData; store: DataStore | undefined; freshMs: number | undefined; nowMs: number },
): Candidate[] {
	if (store === undefined || freshMs === undefined || gib === null) return [];
	const submittedAtMs = Number(submitted_ms);
	const target = { place, sinceMs: submittedAtMs, nowMs, byMs: Number.POSITIVE_INFINITY };
	const stored = storedAt({ uri, sizeGiB: gib }, target, view, priceOf);
	const copy = view.copiesAhead?.get(place)?.get(uri);
	if (stored?.kind !== "copyable" || (copy && (copy.beganMs !== null || (copy.retryAtMs ?? 0) > nowMs))) return [];
	const { usdPerGiBMonth: price, share = false } = store;
	const bytes = BigInt(Math.ceil(gib * GIB));
	const facts = {
		...{ jobs: Number(jobs), egressMicroUsd: Number(micro_usd), freshMs, copyMicroUsd: stored.path.microUsd },
		storageMicroUsdPerMonth: price === undefined ? null : Number(monthlyStorageMicroUsd(bytes, usdToMicro(price))),
	};
	const paid = { from: stored.path.from, gib, jobId: job_id, team, submittedAtMs, store };
	return [{ uri, at: place, jobs: facts.jobs, egressMicroUsd: facts.egressMicroUsd, share, ...judgeSharing(facts), ...paid }];
}

function priceOf(place: string): number {
	const source = pricedSource(place);
	return source === null ? 0 : Number(egressMicroUsdPerGiB(source.provider, source.region));
}

/** Priced reads by set and place, with the newest job of each. */
async function readReads(db: DbOrTx, nowMs: number): Promise<Read[]> {
	const rows = await db.execute<Read>(sql`
		with recent as (
			select job_id, placement from attempt
			where created_at > ${new Date(nowMs - SHARING_WINDOW_MS).toISOString()}::timestamptz
				and capacity_type <> 'owned' and placement ? 'reads'
			order by created_at desc limit ${MOST_ATTEMPTS}
		), reads as (
			select r->>'uri' as uri, concat(recent.placement->>'provider', ':', recent.placement->>'region') as place, job.id as job_id, job.team,
				job.submitted_at, (r->>'microUsd')::numeric * (job.spec->>'nodes')::int as micro_usd,
				(select (d->>'sizeGiB')::float8 from jsonb_array_elements(job.spec->'data') d where d->>'uri' = r->>'uri' limit 1) as gib
			from recent join job on job.id = recent.job_id cross join lateral jsonb_array_elements(recent.placement->'reads') r
		)
		select uri, place, count(distinct job_id)::int as jobs, sum(micro_usd)::text as micro_usd,
			(array_agg(job_id order by submitted_at desc))[1] as job_id, (array_agg(team order by submitted_at desc))[1] as team,
			(extract(epoch from max(submitted_at)) * 1000)::bigint::text as submitted_ms,
			(array_agg(gib order by submitted_at desc))[1] as gib
		from reads group by uri, place order by uri, place`);
	return [...rows];
}
