import { ArmError, notEmulated } from "../arm-error.ts";
import type { AzureMachine } from "../machine.ts";
import { takePage } from "../paging.ts";
import { statusView, vmView } from "../views/vm-view.ts";
import { visibleMachines } from "../world.ts";
import { type ArmCall, type ArmReply, defineAction } from "./action.ts";
import { COMPUTE_VERSION, PATHS } from "./paths.ts";

export const listAll = defineAction<{ statusOnly: boolean }>({
	name: "virtualMachines.listAll",
	method: "GET",
	path: PATHS.vms,
	apiVersion: COMPUTE_VERSION,
	query: ["statusOnly", "$skiptoken"],
	read({ query }) {
		const statusOnly = query.get("statusOnly") ?? "false";
		if (statusOnly !== "true" && statusOnly !== "false") throw notEmulated(`statusOnly=${statusOnly}`);
		return { statusOnly: statusOnly === "true" };
	},
	run: ({ statusOnly }, call) =>
		answer(
			call,
			`/subscriptions/${call.world.options.subscriptionId}/providers/Microsoft.Compute/virtualMachines`,
			visibleMachines(call.world),
			statusOnly,
		),
});

export const listOfLocation = defineAction<string>({
	name: "virtualMachines.listByLocation",
	method: "GET",
	path: PATHS.vmsOfLocation,
	apiVersion: COMPUTE_VERSION,
	query: ["$skiptoken"],
	read: ({ path: { location = "" } }) => location.toLowerCase(),
	facts: (region) => ({ region }),
	run(region, call) {
		const { world } = call;
		if (!world.catalog.regions.has(region))
			throw new ArmError("NoRegisteredProviderFound", `No registered resource provider found for location '${region}'.`);
		const path = `/subscriptions/${world.options.subscriptionId}/providers/Microsoft.Compute/locations/${region}/virtualMachines`;
		return answer(
			call,
			path,
			visibleMachines(world).filter((machine) => machine.region === region),
		);
	},
});

export const listOfGroup = defineAction<string>({
	name: "virtualMachines.list",
	method: "GET",
	path: PATHS.vmsOfGroup,
	apiVersion: COMPUTE_VERSION,
	query: ["$skiptoken"],
	read: ({ path: { resourceGroupName = "" } }) => resourceGroupName.toLowerCase(),
	run(group, call) {
		const path = `/subscriptions/${call.world.options.subscriptionId}/resourceGroups/${group}/providers/Microsoft.Compute/virtualMachines`;
		return answer(
			call,
			path,
			visibleMachines(call.world).filter(({ resourceGroup }) => resourceGroup.toLowerCase() === group),
		);
	},
});

function answer({ world, query }: ArmCall, path: string, machines: readonly AzureMachine[], statusOnly = false): ArmReply {
	const keyOf = ({ ordinal }: AzureMachine) => String(ordinal).padStart(12, "0");
	const { value, ...rest } = takePage(machines, keyOf, { url: world.url(), path, query, pageSize: world.options.pageSize });
	return {
		status: 200,
		body: { value: value.map((machine) => (statusOnly ? statusView(world, machine) : vmView(world, machine))), ...rest },
	};
}
