import { isAlive } from "../../shared/machine-record.ts";
import { notFound } from "../gce-error.ts";
import { addressOf, type World } from "../world.ts";
import { defineAction } from "./action.ts";

/** GPU models by their names in Google's quotas. */
const MODELS: Readonly<Record<string, string>> = { "A100-40GB": "A100", "A100-80GB": "A100_80GB", "L4-24GB": "L4" };

/** A region with the project's quotas and their current use. Launches above a quota are not rejected. */
export const getRegion = defineAction({
	service: "Regions",
	method: "Get",
	run({ world, params }) {
		const region = params["region"] ?? "";
		if (!world.catalog.regions.has(region)) throw notFound(`projects/${world.options.project}/regions/${region}`);
		const used = gpusByQuota(world, region);
		return {
			kind: "compute#region",
			name: region,
			status: "UP",
			selfLink: addressOf(world, `regions/${region}`),
			quotas: Object.entries(world.options.gpuQuotas).map(([metric, limit]) => ({ metric, limit, usage: used.get(metric) ?? 0 })),
		};
	},
});

function gpusByQuota(world: World, region: string): Map<string, number> {
	const used = new Map<string, number>();
	for (const { zone, machineType, spot, state } of world.machines.machines()) {
		if (!isAlive(state) || world.catalog.regionOf(zone) !== region) continue;
		const type = world.catalog.type(zone, machineType)?.entry;
		const model = type?.gpuModel && MODELS[type.gpuModel];
		if (!type || !model) continue;
		const metric = `${spot ? "PREEMPTIBLE_" : ""}NVIDIA_${model}_GPUS`;
		used.set(metric, (used.get(metric) ?? 0) + type.gpus);
	}
	return used;
}
