import { and, asc, eq, gt } from "drizzle-orm";
import { csvRecord } from "#server/accounting/focus/csv.ts";
import type { Db } from "#server/db/client.ts";
import { billLine } from "#server/db/schema/bill.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { limitRunning } from "#server/services/core/running-of-person.ts";
import { getBill } from "./list.ts";

const BATCH_LINES = 2_000;

/**
 * The bill's lines as imported: same values, columns and order. Lines already in an earlier bill are in that bill's export only.
 * @throws SpillwayError `forbidden`, `not_found`.
 */
export async function exportBill(
	ctx: Pick<ServiceContext, "actor" | "db">,
	id: string,
): Promise<{ fileName: string; chunks: AsyncGenerator<Buffer, void, undefined> }> {
	const found = await getBill(ctx, id);
	return { fileName: `${found.id}.csv`, chunks: limitRunning(ctx, "export", linesOf(ctx.db, found)) };
}

async function* linesOf(db: Db, found: { id: string; columns: string[] }): AsyncGenerator<Buffer, void, undefined> {
	yield Buffer.from(csvRecord(found.columns));
	for (let after = 0; ; ) {
		const lines = await db
			.select({ rowNumber: billLine.rowNumber, values: billLine.values })
			.from(billLine)
			.where(and(eq(billLine.billId, found.id), gt(billLine.rowNumber, after)))
			.orderBy(asc(billLine.rowNumber))
			.limit(BATCH_LINES);
		const last = lines.at(-1);
		if (!last) return;
		yield Buffer.from(lines.map((line) => csvRecord(line.values)).join(""));
		after = last.rowNumber;
	}
}
