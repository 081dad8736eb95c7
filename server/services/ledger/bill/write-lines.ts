import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import type { ReadLine } from "./types.ts";

/** Never occurs in a number, time, hash or JSON text: JSON writes it as \u001f. */
const SEPARATOR = "\u001f";

interface Column {
	name: string;
	of: (line: ReadLine, n: number, billId: string) => string | number | bigint | null;
	/** Type of the elements when values travel as text with separators. Without it, the column is nullable text and is sent as JSON. */
	type?: "text" | "integer" | "bigint" | "timestamptz" | "jsonb";
}

const COLUMNS: readonly Column[] = [
	{ name: "id", type: "text", of: ({ rowNumber }, _, billId) => `${billId}_${rowNumber}` },
	{ name: "row_number", type: "integer", of: (line) => line.rowNumber },
	{ name: "content_hash", type: "text", of: (line, n) => `${line.hash}:${n}` },
	{ name: "about_hash", type: "bigint", of: (line) => line.aboutHash },
	{ name: "provider_name", of: (line) => line.providerName },
	{ name: "month", of: (line) => line.month },
	{ name: "charge_category", of: (line) => line.chargeCategory },
	{ name: "charge_class", of: (line) => line.chargeClass },
	{ name: "pricing_category", of: (line) => line.pricingCategory },
	{ name: "period_start", type: "timestamptz", of: (line) => new Date(line.periodStartMs).toISOString() },
	{ name: "period_end", type: "timestamptz", of: (line) => new Date(line.periodEndMs).toISOString() },
	{ name: "resource_id", of: (line) => line.resourceId },
	{ name: "region_id", of: (line) => line.regionId },
	{ name: "tagged_instance_id", of: (line) => line.taggedInstanceId },
	{ name: "invoice_id", of: (line) => line.invoiceId },
	{ name: "list_nano_usd", type: "bigint", of: (line) => line.listNanoUsd },
	{ name: "contracted_nano_usd", type: "bigint", of: (line) => line.contractedNanoUsd },
	{ name: "effective_nano_usd", type: "bigint", of: (line) => line.effectiveNanoUsd },
	{ name: "billed_nano_usd", type: "bigint", of: (line) => line.billedNanoUsd },
	{ name: "values", type: "jsonb", of: (line) => JSON.stringify(line.values) },
];

const NAMES = sql.raw(COLUMNS.map(({ name }) => `"${name}"`).join(", "));
const CASTS = sql.raw(COLUMNS.map(({ name, type }) => `r."${name}"${type === undefined || type === "text" ? "" : `::${type}`}`).join(", "));

/**
 * Writes lines as the n-th of their kind, skipping existing ones; returns the rows written. Sends one text per column: the database imports
 * a million lines in a third less time than from JSON records.
 */
export async function writeLines(tx: Tx, billId: string, given: readonly { line: ReadLine; n: number }[]): Promise<number[]> {
	if (given.length === 0) return [];
	const columns = sql.join(
		COLUMNS.map((column) =>
			elements(
				column,
				given.map(({ line, n }) => column.of(line, n, billId)),
			),
		),
		sql`, `,
	);
	const [answer] = await tx.execute<{ n: number; rows: string | null }>(sql`
		with written as (
			insert into bill_line (bill_id, ${NAMES}) select ${billId}, ${CASTS} from rows from (${columns}) as r(${NAMES})
			on conflict (content_hash) do nothing returning row_number
		)
		select count(*)::int as n, case when count(*) < ${given.length} then json_agg(row_number)::text end as rows from written`);
	if (answer?.n === given.length) return given.map(({ line }) => line.rowNumber);
	return JSON.parse(answer?.rows ?? "[]") as number[];
}

function elements({ type }: Column, values: (string | number | bigint | null)[]): SQL {
	if (type === undefined) return sql`json_array_elements_text(${JSON.stringify(values)}::text::json)`;
	return sql`unnest(string_to_array(${values.join(SEPARATOR)}::text, ${SEPARATOR}))`;
}
