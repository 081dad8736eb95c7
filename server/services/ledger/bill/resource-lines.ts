import { sql } from "drizzle-orm";
import type { z } from "zod";
import { resourceLinesInput } from "#server/contract/inputs/bill.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { isNamed, linesOfMonth, micro } from "./read-billed.ts";
import { restated } from "./restate-lines.ts";
import { utcMonth } from "./run.ts";

/** Number of lines listed, oldest first; a machine billed by the hour has up to 744 a month. */
const LINES_MAX = 1_000;

export interface ResourceLine {
	id: string;
	billId: string;
	fileName: string;
	/** Row in the file; the header is row 1. */
	rowNumber: number;
	chargeCategory: string;
	chargeClass: string | null;
	/** As the provider wrote it; null when the bill has none. */
	description: string | null;
	periodStartMs: number;
	periodEndMs: number;
	/** Rounded to whole micro-dollars per line; the sum of all is rounded once. */
	effectiveMicroUsd: string;
	listMicroUsd: string;
	billedMicroUsd: string;
	/** Whether a later bill restated this line with other amounts. */
	restated: boolean;
}

export interface ResourceLines {
	items: ResourceLine[];
	/** Sum of all lines that are not restated. */
	effectiveMicroUsd: string;
	truncated: boolean;
}

/**
 * The bill lines behind a row of a reconciliation: usage of the resource, identified by our tag or by its id.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function listResourceLines(
	ctx: Pick<ServiceContext, "actor" | "db">,
	raw: z.input<typeof resourceLinesInput>,
): Promise<ResourceLines> {
	authorize(ctx, "bill:read", null);
	const { resourceId, instanceId, ...input } = resourceLinesInput.parse(raw);
	const about =
		instanceId === undefined
			? sql`coalesce(l.resource_id, l.tagged_instance_id) = ${resourceId}
				and not exists (select 1 from instance as tagged where tagged.id = l.tagged_instance_id)`
			: // As in the reconciliation, a tag that names a machine takes precedence over the resource's id.
				sql`(l.tagged_instance_id = ${instanceId} or (position(lower(split_part(named.provider_instance_id, '/', -1)) in lower(l.resource_id)) > 0
				and ${isNamed(sql`named`)} and not exists (select 1 from instance as tagged where tagged.id = l.tagged_instance_id)))`;
	const rows = await ctx.db.execute<Row>(sql`
		select l.id, l.bill_id, bill.file_name, l.row_number, l.charge_category, l.charge_class,
			l.values->>((select at::int - 1 from jsonb_array_elements_text(bill.columns) with ordinality as c(name, at) where name = 'ChargeDescription' limit 1)) as description,
			(extract(epoch from l.period_start) * 1000)::bigint::text as from_ms, (extract(epoch from l.period_end) * 1000)::bigint::text as to_ms,
			l.effective_nano_usd::text as effective, l.list_nano_usd::text as list, l.billed_nano_usd::text as billed, gone.restated,
			(sum(case when gone.restated then 0 else l.effective_nano_usd end) over ())::text as all_effective
		from bill_line as l join bill on bill.id = l.bill_id left join instance as named on named.id = ${instanceId ?? null},
			lateral (select ${restated(sql`l`)} as restated) as gone
		where ${linesOfMonth(utcMonth(input.month))} and l.charge_category in ('Usage', 'Adjustment') and ${about}
		order by l.period_start, l.id limit ${LINES_MAX + 1}`);
	return {
		items: rows.slice(0, LINES_MAX).map(toLine),
		effectiveMicroUsd: micro(rows[0]?.all_effective ?? "0").toString(),
		truncated: rows.length > LINES_MAX,
	};
}

interface Row extends Record<string, unknown> {
	id: string;
	bill_id: string;
	file_name: string;
	row_number: number;
	charge_category: string;
	charge_class: string | null;
	description: string | null;
	from_ms: string;
	to_ms: string;
	effective: string;
	list: string;
	billed: string;
	restated: boolean;
	all_effective: string;
}

function toLine(row: Row): ResourceLine {
	return {
		...{ id: row.id, billId: row.bill_id, fileName: row.file_name, rowNumber: row.row_number, restated: row.restated },
		...{ chargeCategory: row.charge_category, chargeClass: row.charge_class, description: row.description },
		...{ periodStartMs: Number(row.from_ms), periodEndMs: Number(row.to_ms) },
		effectiveMicroUsd: micro(row.effective).toString(),
		listMicroUsd: micro(row.list).toString(),
		billedMicroUsd: micro(row.billed).toString(),
	};
}
