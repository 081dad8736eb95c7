import { sql } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { canonicalLine, chainHash, GENESIS } from "./canonical.ts";
import { type ChainHead, readHead } from "./head.ts";

/** Entries per transaction. */
const BATCH_LINES = 1_000;
/** Serializes sealers: during a change of leader, the second one waits instead of failing. */
const SEAL_LOCK = 727_007;
/** Periodically checks every entry, regardless of the mark. */
const LOOK_AT_ALL_EVERY_MS = HOUR_MS;

interface Mark {
	/** Once all transactions that began before this mark was taken have ended, no entry up to this id can still be committed. */
	lastId: number;
	/** By the database's clock. */
	takenAt: number;
}

/** State of a sealer between rounds; a new one checks every entry once. */
export interface SealMemory {
	/** Every entry up to this id is sealed or was never committed. */
	doneId: number;
	mark: Mark | null;
	lookedAtAllMs: number | null;
}

export function newSealMemory(): SealMemory {
	return { doneId: 0, mark: null, lookedAtAllMs: null };
}

export interface SealContext {
	db: Db;
	clock: Clock;
}

/**
 * Seals every committed entry without a seal, oldest id first, in batches of one transaction each. An entry that is committed late gets a
 * later number than its id, so writers never wait for the chain. If killed at any point, it leaves complete batches.
 * @returns how many it sealed.
 */
export async function sealAudit(ctx: SealContext, memory: SealMemory, options: { batchLines?: number } = {}): Promise<number> {
	const batchLines = options.batchLines ?? BATCH_LINES;
	const nowMs = ctx.clock.nowMs();
	if (memory.lookedAtAllMs === null || nowMs - memory.lookedAtAllMs >= LOOK_AT_ALL_EVERY_MS) {
		Object.assign(memory, newSealMemory(), { lookedAtAllMs: nowMs });
	}
	const settledId = await settledUntil(ctx.db, memory);
	let sealed = 0;
	for (;;) {
		const count = await ctx.db.transaction((tx) => sealBatch(tx, { afterId: memory.doneId, nowMs, limit: batchLines }));
		sealed += count;
		if (count < batchLines) break;
	}
	memory.doneId = Math.max(memory.doneId, settledId);
	return sealed;
}

/**
 * Ids are assigned in order, but transactions end in any order. A mark is the last assigned id. Once every transaction that had
 * begun by then has ended, no new entry can appear up to the mark. Read it before the entries.
 */
async function settledUntil(db: Db, memory: SealMemory): Promise<number> {
	const [issued] = await db.execute<{ last: number }>(
		sql`select (case when is_called then last_value else last_value - 1 end)::float8 as last from audit_id_seq`,
	);
	const [now] = await db.execute<{ at: number; oldest: number }>(sql`
		select extract(epoch from clock_timestamp())::float8 as at,
			coalesce(extract(epoch from min(xact_start))::float8, extract(epoch from clock_timestamp())::float8) as oldest
		from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
	if (!issued || !now) return 0;
	const mark = memory.mark;
	if (mark && now.oldest <= mark.takenAt) return 0;
	memory.mark = { lastId: issued.last, takenAt: now.at };
	return mark?.lastId ?? 0;
}

async function sealBatch(tx: Tx, batch: { afterId: number; nowMs: number; limit: number }): Promise<number> {
	await tx.execute(sql`select pg_advisory_xact_lock(${SEAL_LOCK})`);
	const head: Pick<ChainHead, "sequence" | "hash"> = (await readHead(tx)) ?? { sequence: 0, hash: GENESIS };
	const sealedAtMs = Math.floor(batch.nowMs);
	const sequence = sql`${head.sequence}::bigint + row_number() over (order by a.id)`;
	const lines = await tx.execute<{ id: number; line: string }>(sql`
		select a.id::float8 as id, ${canonicalLine({ sequence, sealedAtMs: sql`${sealedAtMs}::bigint` })} as line
		from audit a where a.id > ${batch.afterId} and not exists (select 1 from audit_seal s where s.audit_id = a.id)
		order by a.id limit ${batch.limit}`);
	if (lines.length === 0) return 0;
	let hash = head.hash;
	const seals = lines.map(({ id, line }, i) => {
		hash = chainHash(hash, line);
		return { sequence: head.sequence + i + 1, audit_id: id, hash };
	});
	await tx.execute(sql`
		insert into audit_seal (sequence, audit_id, hash, sealed_at)
		select r.sequence, r.audit_id, r.hash, ${new Date(sealedAtMs).toISOString()}::timestamptz
		from jsonb_to_recordset(${JSON.stringify(seals)}::jsonb) as r(sequence bigint, audit_id bigint, hash text)`);
	return seals.length;
}
