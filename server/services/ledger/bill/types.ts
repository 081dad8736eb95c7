import type { BillLine, Values } from "#server/accounting/focus/bill-line.ts";

/** A parsed line of a bill file. */
export interface ReadLine extends BillLine {
	rowNumber: number;
	values: Values;
	/** SHA-256 of the compared values, hex. */
	hash: string;
	/** First 64 bits of the SHA-256 of the values that identify the charge, as PostgreSQL's bigint. */
	aboutHash: bigint;
}
