import type { FaultBehaviour } from "../../shared/faults.ts";
import { ArmError } from "../arm-error.ts";
import { END_CAUSES } from "../lifecycle.ts";
import type { AzureMachine } from "../machine.ts";
import { asyncHeaders } from "../views/vm-view.ts";
import type { World } from "../world.ts";
import { defineAction } from "./action.ts";
import { factsOf, type MachineName, nameIn, requireMachine } from "./one-vm.ts";
import { COMPUTE_VERSION, PATHS } from "./paths.ts";

/** Shuts the machine down and releases its capacity. One that shut itself down is deallocated too; a deallocated one stays as it is. */
export const deallocateVm = defineAction<MachineName>({
	name: "virtualMachines.deallocate",
	method: "POST",
	path: PATHS.deallocate,
	apiVersion: COMPUTE_VERSION,
	read: nameIn,
	facts: factsOf,
	run(name, call) {
		const { world, delays } = call;
		const machine = requireMachine(name, call);
		requirePowered(machine);
		if (machine.deallocatingAtMs === null) deallocate(world, machine, delays.terminationMs);
		return { status: 202, headers: asyncHeaders(world, machine, "deallocate") };
	},
});

function deallocate(world: World, machine: AzureMachine, extraDelayMs: number): void {
	const nowMs = world.options.clock();
	machine.deallocatingAtMs = nowMs;
	if (machine.state === "stopped") machine.endingAtMs = nowMs;
	world.lifecycle.end(machine, END_CAUSES.deallocation, "stopped", extraDelayMs, nowMs);
	world.book.save(machine);
}

/** A deallocated machine needs capacity and quota like a new one, and Azure may find only after it accepted the call that there is none. */
export const startVm = defineAction<MachineName>({
	name: "virtualMachines.start",
	method: "POST",
	path: PATHS.start,
	apiVersion: COMPUTE_VERSION,
	read: nameIn,
	facts: factsOf,
	run(name, call) {
		const { world } = call;
		const machine = requireMachine(name, call);
		requirePowered(machine);
		if (machine.state === "stopping") throw beingChanged(machine);
		if (machine.state === "stopped") start(world, machine);
		return { status: 202, headers: asyncHeaders(world, machine, "start") };
	},
});

function start(world: World, machine: AzureMachine): void {
	machine.failure = allocate(world, machine);
	if (machine.failure) {
		world.book.save(machine);
	} else {
		machine.deallocatingAtMs = null;
		world.lifecycle.start(machine);
	}
}

/** @throws ArmError for a rejection that Azure sends at once */
function allocate({ faults }: World, machine: AzureMachine): AzureMachine["failure"] {
	const { region, zone, vmSize: instanceType, spot } = machine;
	const place = { region, zone: zone === null ? undefined : `${region}-${zone}`, instanceType, spot };
	try {
		const behaviours = faults.take("launch", { action: startVm.name, ...place });
		if (!isFull(behaviours)) return null;
		throw new ArmError(zone === null ? "AllocationFailed" : "ZonalAllocationFailed");
	} catch (error) {
		if (!(error instanceof ArmError) || !error.foundLater) throw error;
		return { code: error.code, message: error.message };
	}
}

function isFull(behaviours: readonly FaultBehaviour[]): boolean {
	return behaviours.some((behaviour) => behaviour.kind === "limited_capacity" && behaviour.available === 0);
}

/** A machine that was never created, or is being created or deleted, has no power switch. */
function requirePowered(machine: AzureMachine): void {
	const wasCreated = machine.runningAtMs !== null || machine.earlierRuns.length > 0;
	if (!wasCreated || machine.state === "shutting-down" || machine.state === "pending") throw beingChanged(machine);
}

function beingChanged({ name }: AzureMachine): ArmError {
	return new ArmError("Conflict", `The virtual machine '${name}' is being changed by another operation.`);
}
