import { compileFilter } from "../filters.ts";
import { notFound } from "../gce-error.ts";
import { takePage } from "../paging.ts";
import { addressOf } from "../world.ts";
import { type Call, defineAction } from "./action.ts";

const MIB_PER_GIB = 1_024;

export const listZones = defineAction({
	service: "Zones",
	method: "List",
	query: ["filter", "maxResults", "pageToken"],
	run({ world, query }) {
		const test = compileFilter(query.get("filter"), "Zone");
		const views = world.catalog.zones().map(({ zone, region }) => ({
			kind: "compute#zone",
			name: zone,
			region: addressOf(world, `regions/${region}`),
			status: "UP",
			selfLink: addressOf(world, `zones/${zone}`),
		}));
		const { items, nextPageToken } = takePage(views.filter(test), ({ name }) => name, query);
		return { kind: "compute#zoneList", items, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
	},
});

export const listMachineTypes = defineAction({
	service: "MachineTypes",
	method: "List",
	query: ["filter", "maxResults", "pageToken"],
	run(call) {
		const { world, query } = call;
		const zone = zoneOf(call);
		const test = compileFilter(query.get("filter"), "MachineType");
		const views = world.catalog.typesIn(zone).map(({ entry }) => ({
			kind: "compute#machineType",
			name: entry.instanceType,
			guestCpus: entry.vcpus,
			memoryMb: Math.round(entry.memoryGiB * MIB_PER_GIB),
			zone,
			selfLink: addressOf(world, `zones/${zone}/machineTypes/${entry.instanceType}`),
		}));
		const { items, nextPageToken } = takePage(views.filter(test), ({ name }) => name, query);
		return { kind: "compute#machineTypeList", items, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
	},
});

/**
 * The zone in a call's path.
 * @throws GceError notFound for one that the catalog does not have
 */
export function zoneOf({ world, params }: Call): string {
	const zone = params["zone"] ?? "";
	if (world.catalog.regionOf(zone) === undefined) throw notFound(`projects/${world.options.project}/zones/${zone}`);
	return zone;
}
