import { z } from "zod";
import { machineRecordSchema } from "../../shared/machine-record.ts";

const timeMs = z.int().min(0);

/** A machine in the book; its `instanceId` is Google's number. */
export const instanceSchema = machineRecordSchema.extend({
	name: z.string(),
	zone: z.string(),
	machineType: z.string(),
	spot: z.boolean(),
	labels: z.record(z.string(), z.string()),
	/** Metadata that the launch set, by key. */
	attributes: z.record(z.string(), z.string()),
	/** When Google ends it by itself, and how. */
	termination: z.strictObject({ atMs: timeMs, action: z.enum(["DELETE", "STOP"]) }).nullable(),
	/** As it was sent, to be shown again. */
	resource: z.record(z.string(), z.unknown()),
});
export type InstanceRecord = z.infer<typeof instanceSchema>;

/** A change of a machine. It is over when the machine is where the change brings it, or failed. */
export const operationSchema = z.strictObject({
	/** Google's number. */
	id: z.string(),
	name: z.string(),
	operationType: z.string(),
	zone: z.string(),
	targetId: z.string(),
	targetName: z.string(),
	requestId: z.string().nullable(),
	insertedAtMs: timeMs,
	user: z.string(),
	/** Set when it failed: reported from `atMs` on. */
	failure: z.strictObject({ code: z.string(), message: z.string(), httpStatus: z.int(), atMs: timeMs }).nullable(),
});
export type OperationRecord = z.infer<typeof operationSchema>;
