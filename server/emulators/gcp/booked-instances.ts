import { z } from "zod";
import { type BookedFacts, type BookedInstance, bookedInstanceOf } from "../shared/booked-instance.ts";
import type { InstanceRecord } from "./book/records.ts";
import { END_CAUSES } from "./end-causes.ts";
import type { World } from "./world.ts";

/** One machine in the records of the emulated project. */
export interface BookedGceInstance extends BookedInstance {
	zone: string;
	name: string;
	placementPolicy: string | null;
}

export function bookedInstances(world: World): BookedGceInstance[] {
	const nowMs = world.options.clock();
	return world.machines.machines().map((machine) => bookedInstance(world, machine, nowMs));
}

function bookedInstance(world: World, machine: InstanceRecord, nowMs: number): BookedGceInstance {
	const wasInterrupted = machine.stateReason?.code === END_CAUSES.interruption.code;
	const facts = {
		region: world.catalog.regionOf(machine.zone) ?? "",
		zone: machine.zone,
		instanceType: machine.machineType,
		spot: machine.spot,
		tags: machine.labels,
		folder: world.machines.folderOf(machine.instanceId),
		billedSecondsOf: (runningMs: number) => billedSeconds(runningMs, wasInterrupted),
		disk: diskOf(world, machine),
	};
	return { ...bookedInstanceOf(machine, facts, nowMs), zone: machine.zone, name: machine.name, placementPolicy: machine.placementPolicy };
}

const launched = z.looseObject({
	disks: z.array(z.looseObject({ initializeParams: z.looseObject({ diskType: z.string(), diskSizeGb: z.coerce.number() }) })).min(1),
});

/** Billed by the second. Source: Compute Engine, "Disk and image pricing". */
function diskOf({ options, catalog }: World, { resource, zone }: InstanceRecord): BookedFacts["disk"] {
	const boot = launched.safeParse(resource).data?.disks[0]?.initializeParams;
	if (!boot) return null;
	const asked = { type: boot.diskType.split("/").at(-1) ?? "", gib: boot.diskSizeGb };
	const rates = options.disks.filter((rate) => rate.region === catalog.regionOf(zone) && rate.type === asked.type);
	return { asked, rates, wholeMs: (billedMs) => Math.ceil(billedMs / 1_000) * 1_000 };
}

/**
 * Billed by the second while `RUNNING`, one minute at least; a spot machine that Google reclaims within its first minute is free.
 * Source: Compute Engine, "VM instance pricing" and "Spot VMs", "Pricing".
 */
function billedSeconds(runningMs: number, wasInterrupted: boolean): number {
	if (runningMs === 0 || (wasInterrupted && runningMs < 60_000)) return 0;
	return Math.max(60, Math.ceil(runningMs / 1_000));
}
