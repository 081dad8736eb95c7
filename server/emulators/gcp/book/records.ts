import { z } from "zod";
import { machineRecordSchema } from "../../shared/machine-record.ts";

const timeMs = z.int().min(0);

/** A machine in the records. Its `instanceId` is Google's number. */
export const instanceSchema = machineRecordSchema.extend({
	name: z.string(),
	zone: z.string(),
	machineType: z.string(),
	spot: z.boolean(),
	labels: z.record(z.string(), z.string()),
	/** Metadata that the launch set, by key. */
	attributes: z.record(z.string(), z.string()),
	/** When and how Google ends it automatically. */
	termination: z.strictObject({ atMs: timeMs, action: z.enum(["DELETE", "STOP"]) }).nullable(),
	/** Name of its compact placement policy; null: none. */
	placementPolicy: z.string().nullable().default(null),
	/** The TPU node that it is a host of. Compute Engine does not show hosts of TPU slices; null: it is a machine by itself. */
	slice: z.string().nullable().default(null),
	/** As received, to be returned later. */
	resource: z.record(z.string(), z.unknown()),
});
export type InstanceRecord = z.infer<typeof instanceSchema>;

/** A change of a machine. It is complete when the machine has reached the target state, or when it failed. */
export const operationSchema = z.strictObject({
	/** Google's number of the operation. */
	id: z.string(),
	name: z.string(),
	operationType: z.string(),
	zone: z.string(),
	targetId: z.string(),
	targetName: z.string(),
	requestId: z.string().nullable(),
	insertedAtMs: timeMs,
	user: z.string(),
	/** Set if it failed: reported from `atMs` on. */
	failure: z.strictObject({ code: z.string(), message: z.string(), httpStatus: z.int(), atMs: timeMs }).nullable(),
});
export type OperationRecord = z.infer<typeof operationSchema>;
