import { z } from "zod";
import { micro, time } from "./parts.ts";

export const billShape = z.looseObject({
	id: z.string(),
	fileName: z.string(),
	sha256: z.string(),
	focusVersion: z.string(),
	providers: z.array(z.string()),
	months: z.array(z.string()),
	rows: z.number(),
	repeatedRows: z.number(),
	billedMicroUsd: micro,
	importedAt: z.string(),
	importedBy: z.string(),
	reconciledAt: time,
});

export type BillShape = z.infer<typeof billShape>;

export const importedBillShape = z.looseObject({ bill: billShape, alreadyImported: z.boolean() });

const reconciled = { estimatedMicroUsd: micro, billedMicroUsd: micro, adjustedMicroUsd: micro };

export const reconciliationShape = z.looseObject({
	month: z.string(),
	providers: z.array(
		z.looseObject({ provider: z.string(), ...reconciled, unexplainedMicroUsd: micro, resources: z.record(z.string(), z.number()) }),
	),
	items: z.array(z.looseObject({ resourceId: z.string(), instanceId: z.string().nullable(), state: z.string(), ...reconciled })),
});
