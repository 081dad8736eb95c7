import { z } from "zod";
import { RECONCILIATION_STATES } from "#server/domain/reconciliation.ts";
import { monthSchema } from "./statement.ts";

export const reconciliationHistoryInput = z.strictObject({
	/** Of the providers' bills, a UTC month such as 2026-11. */
	month: monthSchema,
	provider: z.enum(["aws", "azure", "gcp"]).optional(),
});

export const reconciliationInput = z.strictObject({
	/** Of the provider's bill, a UTC month such as 2026-11. */
	month: monthSchema,
	state: z.enum(RECONCILIATION_STATES).optional(),
	provider: z.enum(["aws", "azure", "gcp"]).optional(),
	/** Machines of this team's jobs alone, in the sums too. */
	team: z.string().min(1).max(128).optional(),
});

export const resourceLinesInput = z.strictObject({
	/** Of the provider's bill, a UTC month such as 2026-11. */
	month: monthSchema,
	/** As a reconciliation names it. */
	resourceId: z.string().min(1).max(2_000),
	/** Of the machine that the resource was matched to; absent for one that is not known. */
	instanceId: z.string().min(1).max(64).optional(),
});

/** Below what one request of a page may hold; the command line and REST take files of any size. */
export const UPLOADED_BILL_MAX = 7 * 1024 * 1024;

/** A bill from a page: the file, or gzip of it, in base64. */
export const importUploadedBillInput = z.strictObject({
	fileName: z.string().trim().min(1).max(500),
	contentBase64: z.base64().max(UPLOADED_BILL_MAX, "The file is too large for the browser. Use: spillway bill import FILE"),
	/** Nothing is written. */
	preview: z.boolean(),
});
