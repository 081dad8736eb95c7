import { z } from "zod";
import { type BookedFacts, type BookedInstance, bookedInstanceOf } from "../shared/booked-instance.ts";
import type { AzureMachine } from "./machine.ts";
import type { World } from "./world.ts";

/** One machine in the records of the emulated Azure. `instanceId` is the vmId. */
export interface BookedAzureInstance extends BookedInstance {
	resourceGroup: string;
	name: string;
	/** Name of its availability set, in lower case. */
	availabilitySet: string | null;
}

export function bookedInstances(world: World): BookedAzureInstance[] {
	const nowMs = world.options.clock();
	return world.book.machines().map((machine) => {
		const { region, zone, vmSize: instanceType, spot, tags, resourceGroup, name, instanceId } = machine;
		const folder = world.book.folderOf(instanceId);
		const facts = {
			region,
			zone,
			instanceType,
			spot,
			tags,
			folder,
			billedRunsMs: billedRunsMs(machine, nowMs),
			billedSecondsOf: (billedMs: number) => Math.ceil(billedMs / 1_000),
			disk: diskOf(world, machine),
		};
		return {
			...bookedInstanceOf(machine, facts, nowMs),
			resourceGroup,
			name,
			availabilitySet: machine.availabilitySet?.split("/").at(-1) ?? null,
		};
	});
}

const launched = z.looseObject({
	properties: z.looseObject({
		storageProfile: z.looseObject({
			osDisk: z.looseObject({ diskSizeGB: z.number(), managedDisk: z.looseObject({ storageAccountType: z.string() }) }),
		}),
	}),
});

/**
 * Billed as the next larger tier of Premium SSD, "prorated hourly by using the monthly price". Fractions of an hour are billed
 * exactly, because no rounding is documented. Source: Microsoft Learn, "Azure managed disk types", "Billing".
 */
function diskOf({ options }: World, { request, region }: AzureMachine): BookedFacts["disk"] {
	const osDisk = launched.safeParse(request).data?.properties.storageProfile.osDisk;
	if (!osDisk) return null;
	const asked = { type: osDisk.managedDisk.storageAccountType, gib: osDisk.diskSizeGB };
	const rates = options.disks.filter((rate) => rate.region === region && asked.type === "Premium_LRS" && / LRS$/.test(rate.type));
	return { asked, rates, wholeMs: (billedMs) => billedMs };
}

/**
 * Each run is billed from its first running second until the deallocation or deletion: a machine that shut itself down is `Stopped`,
 * not deallocated, and is still billed. Source: Microsoft Learn, "States and billing status of Azure Virtual Machines".
 */
function billedRunsMs(machine: AzureMachine, nowMs: number): number[] {
	const { runningAtMs, deallocatingAtMs, deletingAtMs, endedAtMs, state, earlierRuns } = machine;
	const earlier = earlierRuns.map(({ fromMs, toMs }) => toMs - fromMs);
	if (runningAtMs === null) return earlier;
	const untilMs = deallocatingAtMs ?? deletingAtMs ?? (state === "terminated" ? (endedAtMs ?? nowMs) : nowMs);
	return [...earlier, Math.max(0, untilMs - runningAtMs)];
}
