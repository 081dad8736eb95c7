import type { z } from "zod";
import { importUploadedBillInput } from "#server/contract/inputs/bill.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { deleteUpload, readUpload, requireUpload } from "#server/services/core/upload.ts";
import { importBill } from "./import.ts";
import { monthsOfBill } from "./months-of-bill.ts";
import { type BillPreview, previewBill } from "./preview.ts";
import { reconcileMonth } from "./reconcile.ts";
import type { BillView } from "./view.ts";

/**
 * Imports a bill that a page has uploaded. With `preview`, nothing is written and the file stays.
 * @throws SpillwayError `forbidden`; `not_found` for an unknown upload; `invalid_input` with row and column of the first error; ZodError.
 */
export async function importUploadedBill(
	ctx: ServiceContext,
	raw: z.input<typeof importUploadedBillInput>,
): Promise<{ preview: BillPreview | null; bill: BillView; months: string[] }> {
	authorize(ctx, "bill:import", null);
	const { upload, preview } = importUploadedBillInput.parse(raw);
	const { name } = await requireUpload(ctx, "bill:import", upload);
	// On one connection: an import that waited for a second one could wait for imports that wait for it.
	const readBy = <T>(read: (on: ServiceContext, input: Parameters<typeof importBill>[1]) => Promise<T>): Promise<T> =>
		ctx.db.transaction((tx) => read({ ...ctx, db: tx }, { fileName: name, bytes: readUpload(tx, upload) }));
	if (preview) {
		const found = await readBy(previewBill);
		return { preview: found, bill: found.bill, months: found.months.map(({ month }) => month) };
	}
	const { bill } = await readBy(importBill);
	const months = await monthsOfBill(ctx.db, bill.id);
	// Reconcile a previously imported file too: its reconciliation may have failed.
	for (const month of months) await reconcileMonth(ctx, { month });
	await deleteUpload(ctx.db, upload);
	return { preview: null, bill, months };
}
