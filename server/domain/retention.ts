import { z } from "zod";

const limit = (days: number, maxGiB: number) =>
	z
		.strictObject({
			days: z.number().int().min(1).max(36_500).default(days),
			maxGiB: z.number().positive().max(100_000).default(maxGiB),
		})
		.prefault({});

/**
 * Retention limits, by age and amount, for data that grows without bound. The limit reached first applies. Charges,
 * audit log, policy versions, statements and the decisions that placed a job are always kept.
 */
export const retentionSchema = z.strictObject({
	/** Job log lines, from the end of the attempt. */
	logs: limit(90, 50),
	/** Events of the Overview. */
	events: limit(90, 5),
	/** Explanations of decisions that left a job in place. */
	explanations: limit(180, 20),
	/** GPU utilization and power per minute. */
	metrics: limit(180, 20),
});
export type Retention = z.infer<typeof retentionSchema>;
export const DEFAULT_RETENTION: Retention = retentionSchema.parse({});
