import type { FaultControl } from "../shared/faults.ts";
import { isVisible } from "../shared/machine-record.ts";
import type { PlacementGroups } from "./book/placement-groups.ts";
import type { Machine } from "./book/records.ts";
import type { Store } from "./book/store.ts";
import type { Catalog } from "./catalog.ts";
import type { DocumentSigner } from "./document-signer.ts";
import type { Ec2Lifecycle } from "./lifecycle.ts";
import type { ResolvedOptions } from "./options.ts";

/** Amazon's example account number, the only account of the emulated cloud. */
export const OWNER_ID = "123456789012";

/** The parts of the emulator that calls use. */
export interface World {
	options: ResolvedOptions;
	catalog: Catalog;
	store: Store;
	placementGroups: PlacementGroups;
	lifecycle: Ec2Lifecycle;
	faults: FaultControl;
	signer: DocumentSigner;
	/** The endpoint's own address, e.g. `http://127.0.0.1:4566`. */
	url: () => string;
	/** True once the emulator is asked to stop: nothing new is launched. */
	closing: boolean;
}

/** The machines of a region that calls currently see, in launch order. */
export function visibleMachines(world: World, region: string): Machine[] {
	const nowMs = world.options.clock();
	return world.store
		.machines()
		.filter(({ reservation, instance }) => reservation.region === region && isVisible(instance, nowMs, world.options.terminatedVisibleMs));
}

export function visibleMachine(world: World, region: string, instanceId: string): Machine | undefined {
	const machine = world.store.machine(instanceId);
	if (!machine || machine.reservation.region !== region) return undefined;
	return isVisible(machine.instance, world.options.clock(), world.options.terminatedVisibleMs) ? machine : undefined;
}
