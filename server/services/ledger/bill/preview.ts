import { FOCUS_COLUMNS } from "#server/accounting/focus/columns.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type PostedByBills, readReconciliationHistory } from "./history.ts";
import { importBill } from "./import.ts";
import { getBill } from "./list.ts";
import { monthsOfBill } from "./months-of-bill.ts";
import { reconcileMonth } from "./reconcile.ts";
import { type Reconciliation, readReconciliation } from "./reconciliation.ts";
import type { BillView } from "./view.ts";

export interface BillPreview {
	bill: BillView;
	/** Whether the same file was imported before: importing it again changes nothing. */
	alreadyImported: boolean;
	/** The file's FOCUS columns and its own extra columns, which are stored uninterpreted. */
	columns: { recognized: string[]; other: string[] };
	/** Each month of the file compared with the ledger, using all bills including this one, and what the import would post. */
	months: (Reconciliation & { posted: PostedByBills[] })[];
}

/** Thrown to roll back a preview's transaction. */
class PreviewDone extends Error {
	readonly preview: BillPreview;
	constructor(preview: BillPreview) {
		super("the preview is complete");
		this.preview = preview;
	}
}

/**
 * Shows what importing a file would do. Imports and reconciles the file in a transaction that is rolled back, so the figures are those of
 * the real import.
 * @throws SpillwayError `forbidden`; `invalid_input` with row and column of the first error.
 */
export async function previewBill(
	ctx: ServiceContext,
	input: { fileName: string; bytes: AsyncIterable<Uint8Array> },
): Promise<BillPreview> {
	authorize(ctx, "bill:import", null);
	try {
		return await ctx.db.transaction(async (tx): Promise<never> => {
			throw new PreviewDone(await readPreview({ ...ctx, db: tx }, input));
		});
	} catch (error) {
		if (error instanceof PreviewDone) return error.preview;
		throw error;
	}
}

async function readPreview(ctx: ServiceContext, input: { fileName: string; bytes: AsyncIterable<Uint8Array> }): Promise<BillPreview> {
	const { bill, alreadyImported } = await importBill(ctx, input);
	const keys = await monthsOfBill(ctx.db, bill.id);
	const months: BillPreview["months"] = [];
	for (const month of keys) {
		await reconcileMonth(ctx, { month });
		const [run] = (await readReconciliationHistory(ctx, { month })).runs;
		months.push({ ...(await readReconciliation(ctx, { month })), posted: run?.posted ?? [] });
	}
	const { columns } = await getBill(ctx, bill.id);
	const known: ReadonlySet<string> = new Set(FOCUS_COLUMNS);
	return {
		...{ bill, alreadyImported, months },
		columns: { recognized: columns.filter((name) => known.has(name)), other: columns.filter((name) => !known.has(name)) },
	};
}
