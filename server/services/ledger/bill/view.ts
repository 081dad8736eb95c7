import type { bill } from "#server/db/schema/bill.ts";

/** An imported bill as every list shows it. */
export interface BillView {
	id: string;
	fileName: string;
	sha256: string;
	focusVersion: string;
	providers: string[];
	months: string[];
	/** Lines of the file, and those of them that an earlier bill had already. */
	rows: number;
	repeatedRows: number;
	billedMicroUsd: string;
	importedAt: string;
	importedBy: string;
	reconciledAt: string | null;
}

export function toBillView(row: typeof bill.$inferSelect): BillView {
	const { columns: _, billedMicroUsd, importedAt, reconciledAt, ...rest } = row;
	return {
		...rest,
		billedMicroUsd: billedMicroUsd.toString(),
		importedAt: importedAt.toISOString(),
		reconciledAt: reconciledAt?.toISOString() ?? null,
	};
}
