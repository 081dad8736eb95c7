import { z } from "zod";

const limit = (days: number, maxGiB: number) =>
	z
		.strictObject({
			days: z.number().int().min(1).max(36_500).default(days),
			maxGiB: z.number().positive().max(100_000).default(maxGiB),
		})
		.prefault({});

/**
 * How long and how much is kept of what grows without end. Whichever limit is reached first counts. Charges, audit, policy
 * versions, statements and the decisions that placed a job are always kept.
 */
export const retentionSchema = z.strictObject({
	/** Log lines of jobs, from the end of their attempt. */
	logs: limit(90, 50),
	/** Events of the Overview. */
	events: limit(90, 5),
	/** Explanations of decisions that left a job where it was. */
	explanations: limit(180, 20),
	/** GPU utilization and power per minute. */
	metrics: limit(180, 20),
});
export type Retention = z.infer<typeof retentionSchema>;
export const DEFAULT_RETENTION: Retention = retentionSchema.parse({});
