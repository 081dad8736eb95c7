import { z } from "zod";

/** In the order in which the set-up shows them. `test`: a job has succeeded at home and in the cloud. */
export const SETUP_STEPS = ["company", "team", "cluster", "cloud", "store", "policy", "test"] as const;

export const setupCompanyInput = z.strictObject({
	/** IANA time zone of the ledger's days and months. */
	zone: z.string().min(1).max(64),
});

export const skipStepInput = z.strictObject({ step: z.enum(SETUP_STEPS) });
