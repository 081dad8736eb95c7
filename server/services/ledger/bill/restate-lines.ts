import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";

/**
 * Providers re-issue a month's bill until it is final, and each re-issue can change the estimates. A line of an earlier bill no longer
 * counts when this file does not repeat it and has a new line for the same usage: equal values except money, quantity and invoice. A line
 * of opposite sign is a reversal and restates nothing; neither does a file that repeats the old line next to its correction. A restated
 * line that reappears is a new line of its file (insert-lines.ts), and in turn restates the line that restated it. Call it at the end of
 * the file, when `bill_seen` holds all lines shared with earlier bills.
 */
export async function restateLines(tx: Tx, billId: string): Promise<void> {
	// The usual case, the first bill of its months, is detected without reading the lines.
	const [earlier] = await tx.execute<{ found: boolean }>(sql`select exists (select 1 from bill where id <> ${billId}) as found`);
	if (!earlier?.found) return;
	await tx.execute(sql`
		insert into bill_line_restated (line_id, bill_id)
		with about as (
			select distinct old.id, old.content_hash from bill_line as new join bill_line as old on old.about_hash = new.about_hash and old.bill_id <> new.bill_id
			where new.bill_id = ${billId} and not ${restated(sql`old`)}
				and (new.billed_nano_usd < 0) = (old.billed_nano_usd < 0) and (new.effective_nano_usd < 0) = (old.effective_nano_usd < 0)
		), placed as (
			select id, left(content_hash, 32)::uuid as kind,
				row_number() over (partition by left(content_hash, 64) order by split_part(content_hash, ':', 2)::integer) as n from about
		)
		select id, ${billId} from placed left join bill_seen on bill_seen.kind = placed.kind where placed.n > coalesce(bill_seen.n, 0)`);
}

/** Condition on a `bill_line` row under this alias: a later bill restates it. */
export function restated(line: SQL): SQL {
	return sql`exists (select 1 from bill_line_restated where bill_line_restated.line_id = ${line}.id)`;
}
