import { z } from "zod";
import { machineRecordSchema } from "../shared/machine-record.ts";

/** A virtual machine in the emulated subscription's book. `instanceId` is Azure's vmId. */
export const azureMachineSchema = machineRecordSchema.extend({
	resourceGroup: z.string(),
	name: z.string(),
	region: z.string(),
	/** Azure's logical zone; null: placed by region. */
	zone: z.string().nullable(),
	vmSize: z.string(),
	spot: z.boolean(),
	tags: z.record(z.string(), z.string()),
	/** The request as it came, without what Azure never shows again. */
	request: z.record(z.string(), z.unknown()),
	/** Of the whole request: the same name with another one is a change. */
	fingerprint: z.string(),
	/** base64, as it came. */
	customData: z.string(),
	/** Why it could not be made; such a machine never ran, and is in the way until it is deleted. */
	failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
	/** When its deletion began; until then even a machine that powered itself off is billed. */
	deletingAtMs: z.int().min(0).nullable(),
});
export type AzureMachine = z.infer<typeof azureMachineSchema>;

/** Whether the name is taken: Azure knows a machine until its deletion is over. */
export function holdsName(machine: AzureMachine): boolean {
	return machine.state !== "terminated" && !machine.vanished;
}

/** The token of the machine's managed identity. */
export function machineTokenOf({ metadataSecret }: AzureMachine): string {
	return `machine-${metadataSecret}`;
}
