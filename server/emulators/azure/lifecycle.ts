import { type EndCause, Lifecycle } from "../shared/lifecycle.ts";
import type { MachineBook } from "../shared/machine-book.ts";
import type { AzureMachine } from "./machine.ts";
import type { ResolvedOptions } from "./options.ts";

/** The emulator's own messages: Azure has none for the end of a machine. */
export const END_CAUSES = {
	deallocation: { code: "Deallocated", message: "The virtual machine was deallocated." },
	user: { code: "Deleted", message: "The virtual machine was deleted." },
	guest: { code: "StoppedByGuest", message: "The virtual machine's system was shut down from inside." },
	interruption: { code: "SpotEvicted", message: "The spot virtual machine was evicted and, by its policy, deleted." },
	service: { code: "EmulatorStopped", message: "The emulated Azure endpoint was stopped and ended its machines." },
} as const satisfies Record<string, EndCause>;

export type AzureLifecycle = Lifecycle<AzureMachine, EndCause>;

export function azureLifecycle(options: ResolvedOptions, book: MachineBook<AzureMachine>, url: () => string): AzureLifecycle {
	return new Lifecycle<AzureMachine, EndCause>(options, {
		machines: () => book.machines(),
		save: (machine) => book.save(machine),
		folderOf: (instanceId) => book.folderOf(instanceId),
		isSpot: ({ spot }) => spot,
		endsRun: ({ deallocatingAtMs }) => deallocatingAtMs !== null,
		bootsAgainBy: "per_boot_scripts",
		bootPlanOf({ customData, metadataSecret }) {
			const metadataUrl = `${url()}/imds/${metadataSecret}`;
			// The variable that makes Azure's SDKs use another metadata host.
			return { userData: customData, metadataUrl, environment: { AZURE_POD_IDENTITY_AUTHORITY_HOST: metadataUrl } };
		},
		causes: END_CAUSES,
		onEnding(machine, _cause, nowMs) {
			if (machine.state === "shutting-down") machine.deletingAtMs ??= nowMs;
		},
		labelOf: ({ name, vmSize, region }) => `${name} (${vmSize}, ${region})`,
	});
}
