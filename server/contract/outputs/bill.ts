import { z } from "zod";
import { RECONCILIATION_STATES } from "#server/domain/reconciliation.ts";
import { instant, integerText } from "../parts.ts";

export const billSchema = z
	.object({
		id: z.string(),
		fileName: z.string(),
		sha256: z.string(),
		focusVersion: z.string(),
		providers: z.array(z.string()),
		months: z.array(z.string()),
		rows: z.number(),
		repeatedRows: z.number(),
		billedMicroUsd: integerText,
		importedAt: instant,
		importedBy: z.string(),
		reconciledAt: instant.nullable(),
	})
	.meta({ id: "Bill" });

export const importedBillSchema = z
	.object({
		bill: billSchema,
		alreadyImported: z.boolean(),
	})
	.meta({ id: "ImportedBill" });

export const reconciledProviderSchema = z
	.object({
		provider: z.string(),
		estimatedMicroUsd: integerText,
		billedMicroUsd: integerText,
		adjustedMicroUsd: integerText,
		unexplainedMicroUsd: integerText,
		resources: z.object({
			billed_unknown: z.number(),
			matched: z.number(),
			not_billed: z.number(),
			price_variance: z.number(),
			time_variance: z.number(),
		}),
	})
	.meta({ id: "ReconciledProvider" });

export const reconciledResourceSchema = z
	.object({
		provider: z.string(),
		resourceId: z.string(),
		instanceId: z.string().nullable(),
		billId: z.string().nullable(),
		state: z.enum(RECONCILIATION_STATES),
		estimatedMicroUsd: integerText,
		billedMicroUsd: integerText,
		adjustedMicroUsd: integerText,
		facts: z.record(z.string(), z.union([z.string(), z.number()]).nullable()),
	})
	.meta({ id: "ReconciledResource" });

export const reconciliationSchema = z
	.object({
		month: z.string(),
		reconciledAt: instant.nullable(),
		providers: z.array(reconciledProviderSchema),
		items: z.array(reconciledResourceSchema),
		truncated: z.boolean(),
	})
	.meta({ id: "Reconciliation" });

export const postedByBillsSchema = z
	.object({
		provider: z.string(),
		what: z.enum(["corrections", "invoice_items"]),
		charges: z.number(),
		effectiveMicroUsd: integerText,
		billedMicroUsd: integerText,
	})
	.meta({ id: "PostedByBills" });

export const reconciliationRunSchema = z
	.object({
		at: z.string(),
		since: z.string().nullable(),
		by: z.string(),
		byName: z.string().nullable(),
		final: z.boolean(),
		posted: z.array(postedByBillsSchema),
	})
	.meta({ id: "ReconciliationRun" });

export const reconciliationHistorySchema = z
	.object({
		month: z.string(),
		runs: z.array(reconciliationRunSchema),
		truncated: z.boolean(),
	})
	.meta({ id: "ReconciliationHistory" });

export const resourceLineSchema = z
	.object({
		id: z.string(),
		billId: z.string(),
		fileName: z.string(),
		rowNumber: z.number(),
		chargeCategory: z.string(),
		chargeClass: z.string().nullable(),
		description: z.string().nullable(),
		periodStartMs: z.number(),
		periodEndMs: z.number(),
		effectiveMicroUsd: integerText,
		listMicroUsd: integerText,
		billedMicroUsd: integerText,
		restated: z.boolean(),
	})
	.meta({ id: "ResourceLine" });

export const resourceLinesSchema = z
	.object({
		items: z.array(resourceLineSchema),
		effectiveMicroUsd: integerText,
		truncated: z.boolean(),
	})
	.meta({ id: "ResourceLines" });

export const billDetailSchema = billSchema
	.extend({
		columns: z.array(z.string()),
	})
	.meta({ id: "BillDetail" });
