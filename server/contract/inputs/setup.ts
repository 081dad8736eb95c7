import { z } from "zod";

export const SETUP_STEPS = ["company", "team", "policy"] as const;

export const setupCompanyInput = z.strictObject({
	/** IANA time zone of the ledger's days and months. */
	zone: z.string().min(1).max(64),
});

export const skipStepInput = z.strictObject({ step: z.enum(SETUP_STEPS) });
