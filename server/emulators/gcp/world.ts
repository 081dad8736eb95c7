import type { FaultControl } from "../shared/faults.ts";
import type { EndCause, Lifecycle } from "../shared/lifecycle.ts";
import type { MachineBook } from "../shared/machine-book.ts";
import type { OperationBook } from "./book/operation-book.ts";
import type { InstanceRecord } from "./book/records.ts";
import type { ResourcePolicies } from "./book/resource-policies.ts";
import type { Catalog } from "./catalog.ts";
import type { Expiry } from "./expiry.ts";
import type { IdentitySigner } from "./identity-signer.ts";
import type { ResolvedOptions } from "./options.ts";
import type { SliceRecords } from "./tpu/slice-records.ts";

/** The parts of the emulator that calls use. */
export interface World {
	options: ResolvedOptions;
	catalog: Catalog;
	machines: MachineBook<InstanceRecord>;
	operations: OperationBook;
	resourcePolicies: ResourcePolicies;
	slices: SliceRecords;
	lifecycle: Lifecycle<InstanceRecord, EndCause>;
	expiry: Expiry;
	signer: IdentitySigner;
	faults: FaultControl;
	/** The endpoint's address, e.g. `http://127.0.0.1:3011`. */
	url: () => string;
	/** True once the emulator is asked to stop: nothing new is launched. */
	closing: boolean;
}

/** The existing machines of a zone. Google shows no machine that has ended. */
export function machinesIn(world: World, zone: string): InstanceRecord[] {
	return world.machines.machines().filter((machine) => machine.zone === zone && machine.slice === null && machine.state !== "terminated");
}

/** The machines that lists show for a zone: they lag behind. */
export function listedIn(world: World, zone: string): InstanceRecord[] {
	const nowMs = world.options.clock();
	return machinesIn(world, zone).filter(({ visibleFromMs }) => visibleFromMs <= nowMs);
}

/** By name or by number, because Google accepts both in a path. */
export function findMachine(world: World, zone: string, nameOrNumber: string): InstanceRecord | undefined {
	return machinesIn(world, zone).find(({ name, instanceId }) => name === nameOrNumber || instanceId === nameOrNumber);
}

/** The URL of a resource of the project, in Google's format. */
export function addressOf(world: World, path: string): string {
	return `${world.url()}/compute/v1/projects/${world.options.project}/${path}`;
}
