import { resourceNotFound } from "../arm-error.ts";
import { END_CAUSES } from "../lifecycle.ts";
import type { AzureMachine } from "../machine.ts";
import { asyncHeaders, vmView } from "../views/vm-view.ts";
import { holderOfName, visibleMachine } from "../world.ts";
import { type ArmCall, defineAction } from "./action.ts";
import { COMPUTE_VERSION, PATHS } from "./paths.ts";

export interface MachineName {
	resourceGroupName: string;
	vmName: string;
}

export function nameIn({ path: { resourceGroupName = "", vmName = "" } }: ArmCall): MachineName {
	return { resourceGroupName, vmName };
}

export function factsOf(
	{ resourceGroupName, vmName }: MachineName,
	{ world }: ArmCall,
): { region: string; instanceType?: string; spot?: boolean } {
	const machine = holderOfName(world, resourceGroupName, vmName);
	return machine ? { region: machine.region, instanceType: machine.vmSize, spot: machine.spot } : { region: "global" };
}

export function requireMachine({ resourceGroupName, vmName }: MachineName, { world }: ArmCall): AzureMachine {
	const machine = visibleMachine(world, resourceGroupName, vmName);
	if (!machine) throw resourceNotFound(resourceGroupName, vmName);
	return machine;
}

export const getVm = defineAction<MachineName>({
	name: "virtualMachines.get",
	method: "GET",
	path: PATHS.vm,
	apiVersion: COMPUTE_VERSION,
	query: ["$expand"],
	read: nameIn,
	facts: factsOf,
	run: (name, call) => ({
		status: 200,
		body: vmView(call.world, requireMachine(name, call), { instanceView: call.query.get("$expand") === "instanceView" }),
	}),
});

/** Deletes the machine with its own disk and network interface. A forced deletion is no faster here. */
export const deleteVm = defineAction<MachineName>({
	name: "virtualMachines.delete",
	method: "DELETE",
	path: PATHS.vm,
	apiVersion: COMPUTE_VERSION,
	query: ["forceDeletion"],
	read: nameIn,
	facts: factsOf,
	run(name, call) {
		const { world, delays } = call;
		const machine = visibleMachine(world, name.resourceGroupName, name.vmName);
		if (!machine) return { status: 204 };
		world.lifecycle.end(machine, END_CAUSES.user, "terminated", delays.terminationMs);
		return { status: 202, headers: asyncHeaders(world, machine, "delete") };
	},
});

export const evictVm = defineAction<MachineName>({
	name: "virtualMachines.simulateEviction",
	method: "POST",
	path: PATHS.evict,
	apiVersion: COMPUTE_VERSION,
	read: nameIn,
	facts: factsOf,
	run(name, call) {
		call.world.lifecycle.interrupt(requireMachine(name, call));
		return { status: 204 };
	},
});
