import { csvRecord } from "./csv.ts";
import type { BillingPeriod, ExportCharge, ExportFacts } from "./facts.ts";
import type { FixedCells } from "./fixed-cells.ts";
import { rowOf } from "./row.ts";

/** A character that no cell has: names and ids have no control characters. */
const HOLE = "\x01";

/** What a row has of its own when another one has the same cause and the same amounts. */
export type OwnCells = Pick<ExportCharge, "id" | "periodStart" | "periodEnd" | "postedAt">;

/**
 * The CSV record of a charge as text with holes for what is its own. The hours of a machine that runs through differ in
 * nothing else, so most rows of an export are four cells put into a text that is there already.
 */
export type RowTemplate = readonly [string, string, string, string, string];

export function rowTemplate(charge: ExportCharge, facts: ExportFacts, fixed: FixedCells, period: BillingPeriod): RowTemplate {
	const open = { ...charge, id: HOLE, periodStart: HOLE, periodEnd: HOLE, postedAt: HOLE };
	const [a = "", b = "", c = "", d = "", e = ""] = csvRecord(rowOf(open, facts, fixed, period)).split(HOLE);
	return [a, b, c, d, e];
}

/** The holes in the order of the columns: ChargePeriodEnd, ChargePeriodStart, x_ChargeId, x_PostedAt. */
export function fillTemplate(template: RowTemplate, own: OwnCells): string {
	return template[0] + own.periodEnd + template[1] + own.periodStart + template[2] + own.id + template[3] + own.postedAt + template[4];
}
