import type { AvailabilitySet } from "@azure/arm-compute";
import { z } from "zod";
import { needsInterconnect } from "#server/domain/interconnect.ts";
import { CONTROL_PLANE_TAG, type GangPlacement, JOB_TAG, type LaunchRequest } from "../driver.ts";
import { machineNameOf } from "./names.ts";
import type { ParsedAzureSettings } from "./settings.ts";

const PREFIX = "spillway-";

/** The fields of an availability set that are read. */
export const availabilitySetSchema = z.object({
	name: z.string().min(1),
	location: z.string().min(1),
	tags: z.record(z.string(), z.string()).default({}),
});
export type AzureSet = z.output<typeof availabilitySetSchema>;

/**
 * Name of the availability set of a gang that needs a high-bandwidth interconnect. Azure connects single machines by InfiniBand only within
 * one set, which takes neither spot nor a zone. Source: Microsoft Learn, "Orchestration modes for Virtual Machine Scale Sets", networking.
 */
export function availabilitySetOf({ nodes = 1, interconnect, capacityType, attemptId }: LaunchRequest): string | null {
	const isNeeded = needsInterconnect({ nodes, interconnect }) && capacityType !== "spot";
	return isNeeded ? `${PREFIX}${machineNameOf(attemptId)}` : null;
}

/** Requests a set in one fault domain: its machines are for one gang, which ends with any of them. */
export function availabilitySetResource({ region, jobId }: LaunchRequest, controlPlane: string): AvailabilitySet {
	return {
		location: region,
		tags: { [CONTROL_PLANE_TAG]: controlPlane, [JOB_TAG]: jobId },
		// Machines with managed disks need an aligned set.
		sku: { name: "Aligned" },
		platformFaultDomainCount: 1,
		platformUpdateDomainCount: 1,
	};
}

export function availabilitySetId({ subscriptionId, resourceGroup }: ParsedAzureSettings, name: string): string {
	return `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute/availabilitySets/${name}`;
}

/** Our sets among those of the resource group, with the attempt by their name. */
export function placementsOf(sets: readonly AzureSet[], controlPlane: string): GangPlacement[] {
	return sets
		.filter(({ name, tags }) => tags[CONTROL_PLANE_TAG] === controlPlane && name.toLowerCase().startsWith(PREFIX))
		.map(({ name, location }) => ({
			...{ region: location.toLowerCase(), name },
			attemptId: name.slice(PREFIX.length).toLowerCase().replaceAll("-", "_"),
		}));
}
