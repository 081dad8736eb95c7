import type { FaultControl } from "../shared/faults.ts";
import type { MachineBook } from "../shared/machine-book.ts";
import { isVisible } from "../shared/machine-record.ts";
import type { AvailabilitySets } from "./availability-set-records.ts";
import type { Catalog } from "./catalog.ts";
import type { DocumentSigner } from "./document-signer.ts";
import type { AzureLifecycle } from "./lifecycle.ts";
import { type AzureMachine, occupiesName } from "./machine.ts";
import type { ResolvedOptions } from "./options.ts";

/** The parts of the emulator that calls use. */
export interface World {
	options: ResolvedOptions;
	catalog: Catalog;
	book: MachineBook<AzureMachine>;
	availabilitySets: AvailabilitySets;
	lifecycle: AzureLifecycle;
	faults: FaultControl;
	signer: DocumentSigner;
	/** The endpoint's address. */
	url: () => string;
	/** True once the emulator is asked to stop: nothing new is launched. */
	closing: boolean;
}

/** The machines that calls currently see, in launch order. A deleted one disappears immediately, as at Azure. */
export function visibleMachines(world: World): AzureMachine[] {
	const nowMs = world.options.clock();
	return world.book.machines().filter((machine) => isVisible(machine, nowMs, 0));
}

/** The machine that uses the name, even if other calls cannot see it. Names and groups are case-insensitive. */
export function holderOfName(world: World, resourceGroup: string, name: string): AzureMachine | undefined {
	return world.book.machines().find((machine) => occupiesName(machine) && isNamed(machine, resourceGroup, name));
}

export function visibleMachine(world: World, resourceGroup: string, name: string): AzureMachine | undefined {
	return visibleMachines(world).find((machine) => isNamed(machine, resourceGroup, name));
}

function isNamed(machine: AzureMachine, resourceGroup: string, name: string): boolean {
	return machine.name.toLowerCase() === name.toLowerCase() && machine.resourceGroup.toLowerCase() === resourceGroup.toLowerCase();
}
