import { z } from "zod";
import { RECONCILIATION_STATES } from "#server/domain/reconciliation.ts";
import { monthSchema } from "./statement.ts";

export const reconciliationHistoryInput = z.strictObject({
	/** For provider bills, a UTC month such as 2026-11. */
	month: monthSchema,
	provider: z.enum(["aws", "azure", "gcp"]).optional(),
});

export const reconciliationInput = z.strictObject({
	/** For the provider's bill, a UTC month such as 2026-11. */
	month: monthSchema,
	state: z.enum(RECONCILIATION_STATES).optional(),
	provider: z.enum(["aws", "azure", "gcp"]).optional(),
	/** Only machines of this team's jobs, in the sums too. */
	team: z.string().min(1).max(128).optional(),
});

export const resourceLinesInput = z.strictObject({
	/** For the provider's bill, a UTC month such as 2026-11. */
	month: monthSchema,
	/** As named in a reconciliation. */
	resourceId: z.string().min(1).max(2_000),
	/** The machine matched to the resource; absent if unknown. */
	instanceId: z.string().min(1).max(64).optional(),
});

/** Below the request limit of a page; the command line and REST accept files of any size. */
export const UPLOADED_BILL_MAX = 7 * 1024 * 1024;

/** A bill uploaded from a page: the file, or its gzip, in base64. */
export const importUploadedBillInput = z.strictObject({
	fileName: z.string().trim().min(1).max(500),
	contentBase64: z.base64().max(UPLOADED_BILL_MAX, "The file is too large for the browser. Use: spillway bill import FILE"),
	/** Nothing is written. */
	preview: z.boolean(),
});
