import { z } from "zod";

const text = z.string();
const labels = z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/), z.string().regex(/^[a-z0-9_-]{0,63}$/));

/**
 * The fields of a `QueuedResource` and its `Node` that a call may set. Source: TPU API v2 (tpu.googleapis.com, google/cloud/tpu/v2).
 * Other fields are rejected, including Google's that this emulator does not implement.
 */
export const queuedResourceBody = z.strictObject({
	tpu: z.strictObject({
		nodeSpec: z
			.array(
				z.strictObject({
					parent: text,
					nodeId: z.string().regex(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/),
					node: z.strictObject({
						acceleratorType: text,
						runtimeVersion: text,
						networkConfig: z.strictObject({ network: text, subnetwork: text, enableExternalIps: z.boolean() }).partial().optional(),
						serviceAccount: z.strictObject({ email: text, scope: z.array(text) }).optional(),
						tags: z.array(text).optional(),
						labels: labels.optional(),
						metadata: z.record(text, text).optional(),
					}),
				}),
			)
			.length(1),
	}),
	spot: z.strictObject({}).optional(),
	guaranteed: z.strictObject({ reserved: z.boolean() }).optional(),
	reservationName: z
		.string()
		.regex(/^projects\/[^/]+\/locations\/[^/]+\/reservations\/[^/]+$/)
		.optional(),
	queueingPolicy: z.strictObject({ validUntilDuration: z.string().regex(/^\d+s$/) }).optional(),
});
export type QueuedResourceBody = z.infer<typeof queuedResourceBody>;
