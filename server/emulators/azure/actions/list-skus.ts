import { notEmulated } from "../arm-error.ts";
import type { RegionalSize } from "../catalog.ts";
import { takePage } from "../paging.ts";
import { defineAction } from "./action.ts";
import { PATHS, SKUS_VERSION } from "./paths.ts";

/** The sizes of one region or of all. A size that the fault script makes unavailable to the account is listed as restricted. */
export const listSkus = defineAction<{ region: string | null }>({
	name: "resourceSkus.list",
	method: "GET",
	path: PATHS.skus,
	apiVersion: SKUS_VERSION,
	query: ["$filter", "$skiptoken"],
	read({ query }) {
		const filter = query.get("$filter");
		if (filter === null) return { region: null };
		const region = /^location eq '([a-z0-9]+)'$/i.exec(filter)?.[1];
		if (region === undefined) throw notEmulated(`the filter ${filter}`);
		return { region: region.toLowerCase() };
	},
	facts: ({ region }) => ({ region: region ?? "global" }),
	run({ region }, { world, query }) {
		const sizes = world.catalog.sizes().filter((size) => region === null || size.region === region);
		const path = `/subscriptions/${world.options.subscriptionId}/providers/Microsoft.Compute/skus`;
		const keyOf = (size: RegionalSize) => `${size.region}/${size.entry.instanceType}`;
		const { value, ...rest } = takePage(sizes, keyOf, { url: world.url(), path, query, pageSize: world.options.pageSize });
		const restricted = (size: RegionalSize) =>
			world.faults.blocksLaunch({
				action: "virtualMachines.createOrUpdate",
				region: size.region,
				instanceType: size.entry.instanceType,
				spot: false,
			});
		return { status: 200, body: { value: value.map((size) => skuView(size, restricted(size))), ...rest } };
	},
});

function skuView({ entry, region, zones, spotMicroUsdPerHour }: RegionalSize, restricted: boolean): Record<string, unknown> {
	const [tier = "Standard", ...size] = entry.instanceType.split("_");
	return {
		resourceType: "virtualMachines",
		name: entry.instanceType,
		tier,
		size: size.join("_"),
		family: familyOf(entry.instanceType),
		locations: [region],
		locationInfo: [{ location: region, zones }],
		capabilities: [
			{ name: "vCPUs", value: String(entry.vcpus) },
			{ name: "MemoryGB", value: String(entry.memoryGiB) },
			{ name: "GPUs", value: String(entry.gpus) },
			{ name: "LowPriorityCapable", value: spotMicroUsdPerHour === null ? "False" : "True" },
		],
		restrictions: restricted
			? [{ type: "Location", values: [region], restrictionInfo: { locations: [region] }, reasonCode: "NotAvailableForSubscription" }]
			: [],
	};
}

/** As Azure formats it: `Standard_NC24ads_A100_v4` belongs to `standardNCADSA100v4Family`. */
export function familyOf(instanceType: string): string {
	const [, series = "", features = "", rest = ""] = /^Standard_([A-Z]+)\d*([a-z]*)_?(.*)$/.exec(instanceType) ?? [];
	return `standard${series}${features.toUpperCase()}${rest.replaceAll("_", "")}Family`;
}
