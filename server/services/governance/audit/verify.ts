import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { chainHash, GENESIS, SEALED_LINE } from "./canonical.ts";
import type { BreakKind } from "./chain-break.ts";
import { readHead } from "./head.ts";

/** Seals held in memory at a time. */
const BATCH_SEALS = 2_000;
/** The sealer needs about a second, so an older entry without a seal is a break. */
export const SEAL_WITHIN_MS = MINUTE_MS;

export interface ChainBreak {
	kind: BreakKind;
	/** Number of the seal; null for an entry without one. */
	sequence: number | null;
	/** Audit entry; null when it cannot be determined from what is left. */
	auditId: number | null;
}

/** Start of a walk: after a seal with a known hash. */
export interface ChainPosition {
	sequence: number;
	hash: string;
}

export interface Verification {
	/** Null for an intact chain. */
	broken: ChainBreak | null;
	/** The last valid seal. */
	verified: ChainPosition;
	/** Number of seals checked. */
	seals: number;
	/** Whether the remembered hash was found; null when none was given. */
	headFound: boolean | null;
}

export interface VerifyOptions {
	/** After a seal that was verified before; by default from the start. */
	from?: ChainPosition;
	/** An earlier hash, or its beginning, that the caller saved. */
	head?: string;
	batchSeals?: number;
	signal?: AbortSignal;
}

/** Like verifyChain, for callers who may read the audit. @throws SpillwayError `forbidden`. */
export function verifyAudit(ctx: ServiceContext, options: VerifyOptions = {}): AsyncGenerator<number, Verification, undefined> {
	authorize(ctx, "audit:read", null);
	return verifyChain(ctx, options);
}

/**
 * Walks the chain to its first break: a seal with a hash that does not match its entry and the previous hash, a missing number, a seal
 * without its entry, an entry without a seal (older than a minute), an entry with two seals, or an end without the remembered hash. Yields
 * the number of seals checked after each batch. Cost: reads every entry once, in batches, in constant memory, without holding a transaction
 * open.
 */
export async function* verifyChain(
	ctx: { db: Db; clock: Clock },
	options: VerifyOptions = {},
): AsyncGenerator<number, Verification, undefined> {
	const { head, signal, batchSeals = BATCH_SEALS } = options;
	const startedMs = ctx.clock.nowMs();
	let at: ChainPosition = options.from ?? { sequence: 0, hash: GENESIS };
	let seals = 0;
	let headFound = head === undefined ? null : at.hash.startsWith(head);
	const answer = (broken: ChainBreak | null): Verification => ({ broken, verified: at, seals, headFound });
	const until = (await readHead(ctx.db))?.sequence ?? 0;
	while (at.sequence < until) {
		signal?.throwIfAborted();
		const rows = await readSeals(ctx.db, at.sequence, batchSeals);
		if (rows.length === 0) return answer({ kind: "missing_seal", sequence: at.sequence + 1, auditId: null });
		for (const row of rows) {
			const broken = breakAt(at, row);
			if (broken) return answer(await named(ctx.db, at, row, broken));
			at = { sequence: row.sequence, hash: row.hash };
			seals += 1;
			if (head !== undefined && row.hash.startsWith(head)) headFound = true;
		}
		yield seals;
	}
	return answer(
		(await lineWithoutSeal(ctx.db, startedMs)) ?? (await lineWithTwo(ctx.db)) ?? (headFound === false ? describeTruncation(at) : null),
	);
}

function describeTruncation(at: ChainPosition): ChainBreak {
	return { kind: "cut_tail", sequence: at.sequence, auditId: null };
}

interface SealRow {
	sequence: number;
	audit_id: number;
	hash: string;
	/** null when the line no longer exists. */
	line: string | null;
	[column: string]: unknown;
}

async function readSeals(db: Db, after: number, limit: number): Promise<readonly SealRow[]> {
	return db.execute<SealRow>(sql`
		select s.sequence::float8 as sequence, s.audit_id::float8 as audit_id, s.hash,
			case when a.id is null then null else ${SEALED_LINE} end as line
		from audit_seal s left join audit a on a.id = s.audit_id
		where s.sequence > ${after} order by s.sequence limit ${limit}`);
}

function breakAt(at: ChainPosition, row: SealRow): BreakKind | null {
	if (row.sequence !== at.sequence + 1) return "missing_seal";
	if (row.line === null) return "missing_line";
	return chainHash(at.hash, row.line) === row.hash ? null : "changed_line";
}

/** The next seal shows which of the two was changed, because it includes the true hash of this one. */
async function named(db: Db, at: ChainPosition, row: SealRow, kind: BreakKind): Promise<ChainBreak> {
	if (kind === "missing_seal") return { kind, sequence: at.sequence + 1, auditId: null };
	const where = { sequence: row.sequence, auditId: row.audit_id };
	if (kind !== "changed_line" || row.line === null) return { kind, ...where };
	const [next] = await readSeals(db, row.sequence, 1);
	if (!next || next.line === null || next.sequence !== row.sequence + 1) return { kind, ...where };
	return { kind: chainHash(chainHash(at.hash, row.line), next.line) === next.hash ? "changed_seal" : kind, ...where };
}

async function lineWithoutSeal(db: Db, startedMs: number): Promise<ChainBreak | null> {
	const [row] = await db.execute<{ id: number }>(sql`
		select a.id::float8 as id from audit a
		where a.at < ${new Date(startedMs - SEAL_WITHIN_MS).toISOString()}::timestamptz
			and not exists (select 1 from audit_seal s where s.audit_id = a.id)
		order by a.id limit 1`);
	return row ? { kind: "unsealed_line", sequence: null, auditId: row.id } : null;
}

/** The table's unique index prevents this, but an index can be dropped. */
async function lineWithTwo(db: Db): Promise<ChainBreak | null> {
	const [row] = await db.execute<{ id: number; sequence: number }>(sql`
		select audit_id::float8 as id, max(sequence)::float8 as sequence from audit_seal group by audit_id having count(*) > 1 limit 1`);
	return row ? { kind: "sealed_twice", sequence: row.sequence, auditId: row.id } : null;
}
