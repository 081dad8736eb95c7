import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import type { ReadLine } from "./import.ts";

/**
 * How often each kind of line was seen in the file so far. It lies in the database, so that memory does not grow with the
 * file; a key of 64 bits is enough, because two kinds that share one still differ in their hash.
 */
export async function makeSeenTable(tx: Tx): Promise<void> {
	await tx.execute(sql`create temporary table bill_seen (kind bigint primary key, n integer not null) on commit drop`);
}

/** Writes the lines that no bill has yet; the n-th of its kind in this file equals the n-th of its kind in another. Answers how many. */
export async function insertLines(tx: Tx, billId: string, lines: readonly ReadLine[]): Promise<number> {
	if (lines.length === 0) return 0;
	const inBatch = new Map<string, number>();
	for (const line of lines) inBatch.set(line.hash, (inBatch.get(line.hash) ?? 0) + 1);
	const before = await countSeen(tx, inBatch);
	const rows = lines.map((line) => {
		const n = (before.get(line.hash) ?? 0) + 1;
		before.set(line.hash, n);
		return rowOf(billId, line, n);
	});
	const [written] = await tx.execute<{ n: number }>(sql`
		with written as (
			insert into bill_line select r.* from json_populate_recordset(null::bill_line, ${`[${rows.join(",")}]`}::json) as r
			on conflict (content_hash) do nothing returning 1
		) select count(*)::int as n from written`);
	return written?.n ?? 0;
}

/** How many of each kind came before this batch. */
async function countSeen(tx: Tx, inBatch: ReadonlyMap<string, number>): Promise<Map<string, number>> {
	const byKind = new Map<string, { hashes: string[]; n: number }>();
	for (const [hash, n] of inBatch) {
		const kind = BigInt.asIntN(64, BigInt(`0x${hash.slice(0, 16)}`)).toString();
		const same = byKind.get(kind) ?? { hashes: [], n: 0 };
		byKind.set(kind, { hashes: [...same.hashes, hash], n: same.n + n });
	}
	const rows = [...byKind].map(([kind, { n }]) => `{"kind":${kind},"n":${n}}`);
	const seen = await tx.execute<{ kind: string; n: number }>(sql`
		with counted as (
			insert into bill_seen select r.kind, r.n from json_to_recordset(${`[${rows.join(",")}]`}::json) as r(kind bigint, n integer)
			on conflict (kind) do update set n = bill_seen.n + excluded.n
			returning kind, n
		) select kind::text as kind, n from counted where n > 1`);
	const before = new Map<string, number>();
	for (const { kind, n } of seen) {
		const same = byKind.get(kind);
		for (const hash of same?.hashes ?? []) before.set(hash, n - (same?.n ?? 0));
	}
	return before;
}

function rowOf(billId: string, line: ReadLine, n: number): string {
	return JSON.stringify({
		id: `${billId}_${line.rowNumber}`,
		bill_id: billId,
		row_number: line.rowNumber,
		content_hash: `${line.hash}:${n}`,
		about_hash: line.aboutHash.toString(),
		provider_name: line.providerName,
		month: line.month,
		charge_category: line.chargeCategory,
		charge_class: line.chargeClass,
		pricing_category: line.pricingCategory,
		period_start: new Date(line.periodStartMs),
		period_end: new Date(line.periodEndMs),
		resource_id: line.resourceId,
		region_id: line.regionId,
		tagged_instance_id: line.taggedInstanceId,
		invoice_id: line.invoiceId,
		list_nano_usd: line.listNanoUsd.toString(),
		contracted_nano_usd: line.contractedNanoUsd.toString(),
		effective_nano_usd: line.effectiveNanoUsd.toString(),
		billed_nano_usd: line.billedNanoUsd.toString(),
		values: line.values,
	});
}
