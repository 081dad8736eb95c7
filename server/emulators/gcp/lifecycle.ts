import { type EndCause, Lifecycle } from "../shared/lifecycle.ts";
import type { MachineBook } from "../shared/machine-book.ts";
import type { OperationBook } from "./book/operation-book.ts";
import type { InstanceRecord } from "./book/records.ts";
import { END_CAUSES } from "./end-causes.ts";
import type { ResolvedOptions } from "./options.ts";

/** Causes of ends that have their operation before the end begins. */
const RECORDED: ReadonlySet<EndCause> = new Set([END_CAUSES.user, END_CAUSES.stop, END_CAUSES.interruption]);

/** The author of changes that no client requested. */
const GOOGLE = "system@google.com";

export interface LifecycleParts {
	options: ResolvedOptions;
	machines: MachineBook<InstanceRecord>;
	operations: OperationBook;
	url: () => string;
}

/** The lifecycle of Google's machines: an operation for each automatic end, and what a guest learns about its service. */
export function gceLifecycle({ options, machines, operations, url }: LifecycleParts): Lifecycle<InstanceRecord, EndCause> {
	const record = (machine: InstanceRecord, operationType: string, nowMs: number): void => {
		const { zone, instanceId: targetId, name: targetName } = machine;
		operations.add({ operationType, zone, targetId, targetName, requestId: null, insertedAtMs: nowMs, user: GOOGLE, failure: null });
	};
	return new Lifecycle<InstanceRecord, EndCause>(options, {
		machines: () => machines.machines(),
		save: (machine) => machines.save(machine),
		folderOf: (instanceId) => machines.folderOf(instanceId),
		isSpot: ({ spot }) => spot,
		endsRun: ({ stateReason }) => stateReason?.code === END_CAUSES.stop.code,
		bootsAgainBy: "user_data",
		bootPlanOf(machine) {
			const metadataUrl = `${url()}/imds/${machine.metadataSecret}`;
			// A host name at Google. A path after it distinguishes the machines of one host.
			const environment = { GCE_METADATA_HOST: metadataUrl.replace("http://", "") };
			const script = machine.attributes["startup-script"] ?? "";
			return { userData: Buffer.from(script, "utf8").toString("base64"), metadataUrl, environment };
		},
		causes: END_CAUSES,
		onEnding(machine, cause, nowMs) {
			// The owner's call already has its operation, and the preemption's was recorded with its notice.
			if (!RECORDED.has(cause)) record(machine, cause.code, nowMs);
		},
		onNotice: (machine, nowMs) => record(machine, END_CAUSES.interruption.code, nowMs),
		labelOf: ({ instanceId, name, machineType, zone }) => `${name} (${instanceId}, ${machineType}, ${zone})`,
	});
}
