import { HOUR_MS } from "#server/kernel/units.ts";
import type { InstanceState, Machine } from "./book/records.ts";
import type { World } from "./world.ts";

/** One machine in the emulator's own book, which no fault hides or bends: what really ran, and for how long. */
export interface BookedInstance {
	instanceId: string;
	region: string;
	zone: string;
	instanceType: string;
	spot: boolean;
	spotInstanceRequestId: string | null;
	clientToken: string;
	state: InstanceState;
	/** Gone without a trace by the fault script. */
	vanished: boolean;
	stateReasonCode: string | null;
	tags: Record<string, string>;
	/** UTC milliseconds. */
	launchTime: number;
	runningAt: number | null;
	terminatedAt: number | null;
	/** Time in the state `running`, up to now or to the end of it. */
	runningMs: number;
	/** What Amazon would bill; see billedSeconds. */
	billedSeconds: number;
	/** The process of the user-data, if it was started. */
	guestPid: number | null;
	/** Holds user-data, console.log and whatever the guest wrote. */
	folder: string;
}

export function bookedInstances(world: World): BookedInstance[] {
	const nowMs = world.options.clock();
	return world.store.machines().map((machine) => bookedInstance(world, machine, nowMs));
}

function bookedInstance(world: World, machine: Machine, nowMs: number): BookedInstance {
	const { reservation, instance } = machine;
	const runningMs = instance.runningAtMs === null ? 0 : Math.max(0, (instance.endingAtMs ?? nowMs) - instance.runningAtMs);
	return {
		instanceId: instance.instanceId,
		region: reservation.region,
		zone: instance.zone,
		instanceType: reservation.instanceType,
		spot: instance.spot !== null,
		spotInstanceRequestId: instance.spot?.requestId ?? null,
		clientToken: reservation.clientToken,
		state: instance.state,
		vanished: instance.vanished,
		stateReasonCode: instance.stateReason?.code ?? null,
		tags: { ...instance.tags },
		launchTime: instance.launchedAtMs,
		runningAt: instance.runningAtMs,
		terminatedAt: instance.state === "terminated" ? instance.endedAtMs : null,
		runningMs,
		billedSeconds: billedSeconds(runningMs, instance.stateReason?.code === "Server.SpotInstanceTermination"),
		guestPid: instance.guest?.pid ?? null,
		folder: world.store.folderOf(instance.instanceId),
	};
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
