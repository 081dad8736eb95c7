import type { AzureMachine } from "../machine.ts";
import type { World } from "../world.ts";

type Json = Record<string, unknown>;

const SUCCEEDED = { code: "ProvisioningState/succeeded", level: "Info", displayStatus: "Provisioning succeeded" };

/** A machine in the format of Azure's REST API. The SDK's types describe a flattened format instead. */
export function vmView(world: World, machine: AzureMachine, options: { instanceView?: boolean } = {}): Json {
	const { request, name, tags, zone, region } = machine;
	const properties = typeof request["properties"] === "object" ? request["properties"] : {};
	return {
		name,
		id: resourceIdOf(world, machine),
		type: "Microsoft.Compute/virtualMachines",
		location: region,
		tags,
		...(zone === null ? {} : { zones: [zone] }),
		...(request["identity"] === undefined ? {} : { identity: request["identity"] }),
		etag: `"${machine.ordinal}"`,
		properties: {
			...properties,
			vmId: machine.instanceId,
			provisioningState: provisioningStateOf(machine),
			timeCreated: new Date(createdAtMs(machine)).toISOString(),
			...(options.instanceView ? { instanceView: { statuses: statusesOf(machine) } } : {}),
		},
	};
}

/** Returned for `statusOnly=true`. */
export function statusView(world: World, machine: AzureMachine): Json {
	const { name, region, instanceId } = machine;
	return {
		name,
		id: resourceIdOf(world, machine),
		type: "Microsoft.Compute/virtualMachines",
		location: region,
		properties: { vmId: instanceId, provisioningState: provisioningStateOf(machine), instanceView: { statuses: statusesOf(machine) } },
	};
}

export function resourceIdOf({ options }: World, { resourceGroup, name }: AzureMachine): string {
	return `/subscriptions/${options.subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute/virtualMachines/${name}`;
}

function createdAtMs(machine: AzureMachine): number {
	return machine.createdAtMs ?? machine.launchedAtMs;
}

function provisioningStateOf(machine: AzureMachine): string {
	const { state, failure } = machine;
	if (state === "shutting-down") return "Deleting";
	if (failure) return "Failed";
	if (state === "pending") return wasCreated(machine) ? "Updating" : "Creating";
	return "Succeeded";
}

/** It has run before, so it has a power state. */
function wasCreated({ runningAtMs, earlierRuns }: AzureMachine): boolean {
	return runningAtMs !== null || earlierRuns.length > 0;
}

/** Source: Microsoft Learn, "States and billing status of Azure Virtual Machines". */
function statusesOf(machine: AzureMachine): Json[] {
	const { state, failure } = machine;
	const time = new Date(createdAtMs(machine)).toISOString();
	if (state === "shutting-down") return [{ code: "ProvisioningState/deleting", level: "Info", displayStatus: "Deleting", time }];
	if (failure) {
		const { code, message } = failure;
		const failed = { code: `ProvisioningState/failed/${code}`, level: "Error", displayStatus: "Provisioning failed", message, time };
		return wasCreated(machine) ? [failed, powerStatus(machine)] : [failed];
	}
	if (state === "pending" && wasCreated(machine)) {
		return [{ code: "ProvisioningState/updating", level: "Info", displayStatus: "Updating", time }, powerStatus(machine)];
	}
	if (state === "pending") return [{ code: "ProvisioningState/creating", level: "Info", displayStatus: "Creating", time }];
	return [{ ...SUCCEEDED, time }, powerStatus(machine)];
}

function powerStatus(machine: AzureMachine): Json {
	const power = powerOf(machine);
	return { code: `PowerState/${power}`, level: "Info", displayStatus: `VM ${power}` };
}

function powerOf({ state, deallocatingAtMs }: AzureMachine): string {
	if (state === "pending") return "starting";
	if (state === "running") return "running";
	if (state === "stopping") return deallocatingAtMs === null ? "stopping" : "deallocating";
	return deallocatingAtMs === null ? "stopped" : "deallocated";
}

/** Address of a long-running operation's state. The state is not stored; it is derived from the machine. */
export function asyncHeaders(
	world: World,
	machine: AzureMachine,
	operation: "create" | "delete" | "deallocate" | "start",
): Record<string, string> {
	const { subscriptionId } = world.options;
	const path = `/subscriptions/${subscriptionId}/providers/Microsoft.Compute/locations/${machine.region}/operations/${operation}-${machine.instanceId}`;
	return { "azure-asyncoperation": `${world.url()}${path}?api-version=2026-04-01`, "retry-after": "1" };
}
