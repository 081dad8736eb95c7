import type { bill } from "#server/db/schema/bill.ts";

/** An imported bill as shown in lists. */
export interface BillView {
	id: string;
	fileName: string;
	sha256: string;
	focusVersion: string;
	providers: string[];
	months: string[];
	/** Number of lines in the file, and how many of them an earlier bill already had. */
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
