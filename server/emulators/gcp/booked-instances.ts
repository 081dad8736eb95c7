import { type BookedInstance, bookedInstanceOf } from "../shared/booked-instance.ts";
import type { InstanceRecord } from "./book/records.ts";
import { END_CAUSES } from "./end-causes.ts";
import type { World } from "./world.ts";

/** One machine in the book of the emulated project. */
export interface BookedGceInstance extends BookedInstance {
	zone: string;
	name: string;
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
	};
	return { ...bookedInstanceOf(machine, facts, nowMs), zone: machine.zone, name: machine.name };
}

/**
 * By the second while `RUNNING`, one minute at least; a spot machine that Google takes back within its first minute is
 * free. Source: Compute Engine, "VM instance pricing" and "Spot VMs", "Pricing".
 */
function billedSeconds(runningMs: number, wasInterrupted: boolean): number {
	if (runningMs === 0 || (wasInterrupted && runningMs < 60_000)) return 0;
	return Math.max(60, Math.ceil(runningMs / 1_000));
}
