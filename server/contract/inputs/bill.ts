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

/** A bill uploaded from a page, which the import then deletes. */
export const importUploadedBillInput = z.strictObject({
	upload: z.string().max(64),
	/** Nothing is written. */
	preview: z.boolean(),
});
