import { z } from "zod";
import { RegionalRecords } from "../../shared/regional-records.ts";

const policySchema = z.strictObject({
	region: z.string(),
	name: z.string(),
	/** Google's number of it. */
	id: z.string(),
	madeAtMs: z.int().min(0),
	/** As received, to be returned later. */
	resource: z.record(z.string(), z.unknown()),
});
export type ResourcePolicyRecord = z.infer<typeof policySchema>;
export type ResourcePolicies = RegionalRecords<ResourcePolicyRecord>;

/** The project's placement policies. */
export const openResourcePolicies = (stateDir: string): ResourcePolicies =>
	new RegionalRecords(stateDir, "resource-policies", policySchema);
