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
			timeCreated: new Date(machine.launchedAtMs).toISOString(),
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

function provisioningStateOf({ state, failure }: AzureMachine): string {
	if (state === "shutting-down") return "Deleting";
	if (failure) return "Failed";
	return state === "pending" ? "Creating" : "Succeeded";
}

/** Source: Microsoft Learn, "States and billing status of Azure Virtual Machines". */
function statusesOf(machine: AzureMachine): Json[] {
	const { state, failure, launchedAtMs } = machine;
	const time = new Date(launchedAtMs).toISOString();
	if (state === "shutting-down") return [{ code: "ProvisioningState/deleting", level: "Info", displayStatus: "Deleting", time }];
	if (failure) {
		const { code, message } = failure;
		return [{ code: `ProvisioningState/failed/${code}`, level: "Error", displayStatus: "Provisioning failed", message, time }];
	}
	if (state === "pending") return [{ code: "ProvisioningState/creating", level: "Info", displayStatus: "Creating", time }];
	const power = state === "running" ? "running" : state === "stopping" ? "stopping" : "stopped";
	return [
		{ ...SUCCEEDED, time },
		{ code: `PowerState/${power}`, level: "Info", displayStatus: `VM ${power}` },
	];
}

/** Address of a long-running operation's state. The state is not stored; it is derived from the machine. */
export function asyncHeaders(world: World, machine: AzureMachine, operation: "create" | "delete"): Record<string, string> {
	const { subscriptionId } = world.options;
	const path = `/subscriptions/${subscriptionId}/providers/Microsoft.Compute/locations/${machine.region}/operations/${operation}-${machine.instanceId}`;
	return { "azure-asyncoperation": `${world.url()}${path}?api-version=2026-04-01`, "retry-after": "1" };
}
