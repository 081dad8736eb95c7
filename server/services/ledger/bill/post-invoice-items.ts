import { sql } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { providerNamed } from "#server/accounting/focus/providers.ts";
import type { Db, Tx } from "#server/db/client.ts";
import { postCharges } from "../charge/post-charges.ts";
import { firstHour, moneyCharge, noCause } from "../charge/post-corrections.ts";
import { isNamed, linesOfMonth, micro } from "./read-billed.ts";
import { restated } from "./restate-lines.ts";
import { lockMonth, type Run } from "./run.ts";
import { billedPlace } from "./site-of.ts";

/** Lines per transaction. */
const LINES_PER_STEP = 1_000;

interface Item extends Record<string, unknown> {
	id: string;
	provider_name: string;
	charge_category: string;
	region_id: string | null;
	from_ms: string;
	to_ms: string;
	list: string;
	contracted: string;
	effective: string;
	billed: string;
	/** Whether the line was restated; its amounts are then the ledger's amounts, negated. */
	restated: boolean;
}

/**
 * Credits and taxes are known from bills only: each line becomes a charge of kind `credit` or `tax`, once. Covers the whole
 * account and our machines, but not resources of others. Charges for a line that a later bill restated are reversed.
 */
export async function postInvoiceItems(db: Db, run: Run): Promise<void> {
	for (let after = ""; ; ) {
		const step = await db.transaction(async (tx) => {
			await lockMonth(tx, run.month);
			const items = await newItems(tx, run, after);
			const place = await billedPlace(tx, run.provider, null);
			await postCharges(
				tx,
				items.filter((i) => providerNamed(i.provider_name) === run.provider).flatMap((item) => draftOf(item, place)),
				run.nowMs,
			);
			return items;
		});
		after = step.at(-1)?.id ?? "";
		if (step.length < LINES_PER_STEP) return;
	}
}

async function newItems(tx: Tx, run: Run, after: string): Promise<Item[]> {
	return tx.execute<Item>(sql`
		select l.id, l.provider_name, l.charge_category, l.region_id, (extract(epoch from l.period_start) * 1000)::bigint::text as from_ms,
			(extract(epoch from l.period_end) * 1000)::bigint::text as to_ms, gone.restated,
			case when gone.restated then -posted.list * 1000 else l.list_nano_usd end::text as list,
			case when gone.restated then -posted.contracted * 1000 else l.contracted_nano_usd end::text as contracted,
			case when gone.restated then -posted.effective * 1000 else l.effective_nano_usd end::text as effective,
			case when gone.restated then -posted.billed * 1000 else l.billed_nano_usd end::text as billed
		from bill_line as l left join instance as named on ${isNamed(sql`named`)},
			lateral (select ${restated(sql`l`)} as restated) as gone,
			lateral (
				select count(*) as charges, sum(list_micro_usd) as list, sum(contracted_micro_usd) as contracted, sum(effective_micro_usd) as effective,
					sum(billed_micro_usd) as billed from charge as c where c.bill_line_id = l.id and c.period_start = l.period_start
			) as posted
		where ${linesOfMonth(run.month)} and l.charge_category in ('Credit', 'Tax') and l.id > ${after}
			and (l.resource_id is null or l.tagged_instance_id is not null or named.id is not null)
			and case when gone.restated then posted.list <> 0 or posted.contracted <> 0 or posted.effective <> 0 or posted.billed <> 0
				else posted.charges = 0 end
		order by l.id limit ${LINES_PER_STEP}`);
}

function draftOf(item: Item, place: Awaited<ReturnType<typeof billedPlace>>): ChargeDraft[] {
	const money = {
		list: micro(item.list),
		contracted: micro(item.contracted),
		effective: micro(item.effective),
		billed: micro(item.billed),
	};
	return moneyCharge(money, {
		...firstHour(Number(item.from_ms), Number(item.to_ms)),
		...noCause(item.restated ? "bill_price" : null),
		billLineId: item.id,
		dimensions: { ...place, region: item.region_id ?? "" },
		kind: item.charge_category === "Tax" ? "tax" : "credit",
	});
}
