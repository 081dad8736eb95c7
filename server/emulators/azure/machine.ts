import { z } from "zod";
import { machineRecordSchema } from "../shared/machine-record.ts";

/** A virtual machine in the emulated subscription's records. `instanceId` is Azure's vmId. */
export const azureMachineSchema = machineRecordSchema.extend({
	resourceGroup: z.string(),
	name: z.string(),
	region: z.string(),
	/** Azure's logical zone; null: placed by region. */
	zone: z.string().nullable(),
	vmSize: z.string(),
	spot: z.boolean(),
	/** `group/name` of its availability set, in lower case; null: none. */
	availabilitySet: z.string().nullable().default(null),
	tags: z.record(z.string(), z.string()),
	/** The request as received, without the parts that Azure never returns. */
	request: z.record(z.string(), z.unknown()),
	/** Hash of the whole request. The same name with a different hash is a change. */
	fingerprint: z.string(),
	/** base64, as received. */
	customData: z.string(),
	/** Why it could not be created, or could not be started again. One that could not be created occupies its name until it is deleted. */
	failure: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
	/** When its deletion started. Until then even a machine that powered itself off is billed. */
	deletingAtMs: z.int().min(0).nullable(),
	/** When its deallocation started, which ends its billing; null while it is allocated. */
	deallocatingAtMs: z.int().min(0).nullable().default(null),
});
export type AzureMachine = z.infer<typeof azureMachineSchema>;

/** Whether the name is in use: Azure keeps it until the machine's deletion is complete. */
export function occupiesName(machine: AzureMachine): boolean {
	return machine.state !== "terminated" && !machine.vanished;
}

/** The token of the machine's managed identity. */
export function machineTokenOf({ metadataSecret }: AzureMachine): string {
	return `machine-${metadataSecret}`;
}
