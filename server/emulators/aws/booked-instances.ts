import { HOUR_MS } from "#server/kernel/units.ts";
import { type BookedFacts, type BookedInstance, bookedInstanceOf } from "../shared/booked-instance.ts";
import type { Machine, Reservation } from "./book/records.ts";
import type { World } from "./world.ts";

/** One machine in the records of the emulated EC2. */
export interface BookedEc2Instance extends BookedInstance {
	zone: string;
	spotInstanceRequestId: string | null;
	clientToken: string;
	placementGroup: string | null;
}

export function bookedInstances(world: World): BookedEc2Instance[] {
	const nowMs = world.options.clock();
	return world.store.machines().map((machine) => bookedInstance(world, machine, nowMs));
}

function bookedInstance(world: World, { reservation, instance }: Machine, nowMs: number): BookedEc2Instance {
	const wasInterrupted = instance.stateReason?.code === "Server.SpotInstanceTermination";
	const facts = {
		region: reservation.region,
		zone: instance.zone,
		instanceType: reservation.instanceType,
		spot: instance.spot !== null,
		tags: instance.tags,
		folder: world.store.folderOf(instance.instanceId),
		billedSecondsOf: (runningMs: number) => billedSeconds(runningMs, wasInterrupted),
		disk: diskOf(world, reservation),
	};
	return {
		...bookedInstanceOf(instance, facts, nowMs),
		zone: instance.zone,
		spotInstanceRequestId: instance.spot?.requestId ?? null,
		clientToken: reservation.clientToken,
		placementGroup: reservation.placementGroup,
	};
}

/**
 * Billed by the second, 60 seconds at least, regardless of who ended the machine. Source: Amazon EBS pricing, "General Purpose
 * SSD (gp3) volumes".
 */
function diskOf({ options }: World, { region, rootDisk: asked }: Reservation): BookedFacts["disk"] {
	if (asked === null) return null;
	const rates = options.disks.filter((rate) => rate.region === region && rate.type === asked.type);
	return { asked, rates, wholeMs: (billedMs) => (billedMs === 0 ? 0 : Math.max(60, Math.ceil(billedMs / 1_000)) * 1_000) };
}

/**
 * Linux is billed by the second while `running`, 60 at least; a spot instance that Amazon itself interrupts in its
 * first hour is free. Source: EC2 User Guide, "Instance lifecycle", "On-Demand Instances" and "Billing for
 * interrupted Spot Instances".
 */
export function billedSeconds(runningMs: number, wasInterrupted: boolean): number {
	if (runningMs === 0 || (wasInterrupted && runningMs < HOUR_MS)) return 0;
	return Math.max(60, Math.ceil(runningMs / 1_000));
}
