import { z } from "zod";

const change = z.looseObject({
	kind: z.string(),
	id: z.string(),
	action: z.string(),
	fields: z.array(z.looseObject({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
});
export type CompanyChange = z.infer<typeof change>;

export const companyPlanShape = z.looseObject({ changes: z.array(change), skipped: z.array(z.string()), hash: z.string() });
export const companyAppliedShape = z.looseObject({ applied: z.array(change) });
