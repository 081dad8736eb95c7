import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { defined } from "#server/kernel/assert.ts";
import { restated } from "./restate-lines.ts";
import type { ReadLine } from "./types.ts";
import { writeLines } from "./write-lines.ts";

/** Writes the lines of one file, batch by batch. Returns how many lines of a batch were new and written. */
export type InsertLines = (lines: readonly ReadLine[]) => Promise<number>;

/**
 * A file may contain equal lines and repeat lines of earlier bills: the n-th line of a kind in this file is the n-th line of that kind
 * still in effect. Nearly all lines of a file are new and are written immediately; the unique hash identifies the others, which are then
 * checked. `bill_seen` holds the count so far of each repeated kind. It is in the database, so memory does not grow with the file.
 */
export async function lineInserter(tx: Tx, billId: string): Promise<InsertLines> {
	await tx.execute(sql`create temporary table bill_seen (kind uuid primary key, n integer not null) on commit drop`);
	let anySeen = false;
	return async (lines) => {
		const seen = anySeen ? await readSeen(tx, lines) : new Map<string, number>();
		const count = new Map<string, number>();
		const fresh = lines.flatMap((line) => {
			const n = (count.get(line.hash) ?? 0) + 1;
			count.set(line.hash, n);
			return seen.has(line.hash) ? [] : [{ line, n }];
		});
		const written = await writeLines(tx, billId, fresh);
		const met = fresh.length - written.length > 0 ? refused(fresh, written) : [];
		const again = [...lines.filter((line) => seen.has(line.hash)), ...met];
		if (again.length === 0) return written.length;
		anySeen = true;
		return written.length + (await insertRest(tx, billId, again, { seen, count }));
	};
}

type Numbered = { line: ReadLine; n: number };

function refused(fresh: readonly Numbered[], written: readonly number[]): ReadLine[] {
	const has = new Set(written);
	return fresh.flatMap(({ line }) => (has.has(line.rowNumber) ? [] : [line]));
}

interface Batch {
	seen: ReadonlyMap<string, number>;
	/** How often each kind occurs in the batch. */
	count: ReadonlyMap<string, number>;
}

/** Lines of a known kind beyond those still in effect from earlier bills. */
async function insertRest(tx: Tx, billId: string, lines: readonly ReadLine[], { seen, count }: Batch): Promise<number> {
	const byHash = Map.groupBy(lines, (line) => line.hash);
	const stored = await readStored(tx, billId, [...byHash.keys()]);
	const totals: { hash: string; n: number }[] = [];
	const rest: Numbered[] = [];
	for (const [hash, own] of byHash) {
		const { top, mine, live } = stored.get(hash) ?? { top: 0, mine: 0, live: 0 };
		const inBatch = count.get(hash) ?? 0;
		// All lines of a kind first seen now were written, and none was skipped.
		const before = seen.get(hash) ?? mine - (inBatch - own.length);
		totals.push({ hash, n: before + inBatch });
		const missing = Math.max(0, before + inBatch - live) - mine;
		for (let i = 0; i < missing; i++) rest.push({ line: defined(own[own.length - missing + i], "line"), n: top + 1 + i });
	}
	await writeSeen(tx, totals);
	return (await writeLines(tx, billId, rest)).length;
}

/** By hash of the kind: the highest number, how many lines this bill has, and how many of earlier bills are still in effect. */
async function readStored(tx: Tx, billId: string, hashes: readonly string[]) {
	const rows = await tx.execute<{ hash: string; top: number; mine: number; live: number }>(sql`
		with recursive line as (
			select kind.hash, 1 as n, l.id, l.bill_id from json_array_elements_text(${JSON.stringify(hashes)}::json) as kind(hash)
				join bill_line as l on l.content_hash = kind.hash || ':1'
			union all
			select line.hash, line.n + 1, l.id, l.bill_id from line join bill_line as l on l.content_hash = line.hash || ':' || (line.n + 1)
		)
		select hash, max(n) as top, (count(*) filter (where bill_id = ${billId}))::int as mine,
			(count(*) filter (where bill_id <> ${billId} and not ${restated(sql`line`)}))::int as live
		from line group by hash`);
	return new Map(rows.map(({ hash, ...rest }) => [hash, rest]));
}

/** 128 bits of the hash are enough as a key: a collision of two kinds is practically impossible. */
const kindOf = (hash: string) => hash.slice(0, 32);

async function readSeen(tx: Tx, lines: readonly ReadLine[]): Promise<Map<string, number>> {
	const byKind = new Map(lines.map((line) => [kindOf(line.hash), line.hash]));
	const rows = await tx.execute<{ kind: string; n: number }>(sql`
		select replace(kind::text, '-', '') as kind, n from bill_seen
		where kind in (select k::uuid from json_array_elements_text(${JSON.stringify([...byKind.keys()])}::json) as k)`);
	return new Map(rows.flatMap(({ kind, n }) => (byKind.has(kind) ? [[byKind.get(kind) ?? "", n] as const] : [])));
}

async function writeSeen(tx: Tx, totals: readonly { hash: string; n: number }[]): Promise<void> {
	const rows = totals.map(({ hash, n }) => ({ kind: kindOf(hash), n }));
	await tx.execute(sql`
		insert into bill_seen select r.kind, r.n from json_to_recordset(${JSON.stringify(rows)}::json) as r(kind uuid, n integer)
		on conflict (kind) do update set n = excluded.n`);
}
