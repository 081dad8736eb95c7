import { z } from "zod";
import { ArmError, invalidParameter, notEmulated } from "../arm-error.ts";
import type { AvailabilitySetRecord } from "../availability-set-records.ts";
import { findSet, membersOf, setsOf } from "../availability-sets.ts";
import type { World } from "../world.ts";
import { type ArmCall, defineAction } from "./action.ts";
import { COMPUTE_VERSION, PATHS } from "./paths.ts";

const requestSchema = z.strictObject({
	location: z.string().min(1),
	tags: z.record(z.string(), z.string()).optional(),
	sku: z.strictObject({ name: z.enum(["Aligned", "Classic"]) }).default({ name: "Classic" }),
	properties: z
		.strictObject({
			platformFaultDomainCount: z.int().min(1).max(3).optional(),
			platformUpdateDomainCount: z.int().min(1).max(20).optional(),
		})
		.default({}),
});

interface Name {
	resourceGroup: string;
	name: string;
}

const nameIn = ({ path: { resourceGroupName = "", availabilitySetName = "" } }: ArmCall): Name => ({
	resourceGroup: resourceGroupName,
	name: availabilitySetName,
});

/** PUT by name. An existing set stays as it is. */
export const createAvailabilitySet = defineAction<Name & { request: z.output<typeof requestSchema> }>({
	name: "availabilitySets.createOrUpdate",
	method: "PUT",
	path: PATHS.availabilitySet,
	apiVersion: COMPUTE_VERSION,
	read(call) {
		const parsed = requestSchema.safeParse(call.body);
		if (!parsed.success) throw new ArmError("InvalidRequestFormat", `Cannot parse the request: ${z.prettifyError(parsed.error)}`);
		// Machines have managed disks, which only aligned sets accept.
		if (parsed.data.sku.name !== "Aligned") throw notEmulated("a classic availability set");
		return { ...nameIn(call), request: parsed.data };
	},
	facts: ({ request }) => ({ region: request.location.toLowerCase() }),
	run({ resourceGroup, name, request }, { world }) {
		const region = request.location.toLowerCase();
		if (!world.catalog.regions.has(region)) throw invalidParameter("location", `'${region}' is not a region.`);
		const known = findSet(world, resourceGroup, name);
		if (known && known.region !== region)
			throw new ArmError("InvalidResourceLocation", `The set '${name}' exists in ${known.region}.`, 409);
		const set = known ?? { region, resourceGroup, name, request };
		if (!known) world.availabilitySets.add(set);
		return { status: 200, body: setView(world, set) };
	},
});

export const listAvailabilitySets = defineAction<string>({
	name: "availabilitySets.list",
	method: "GET",
	path: PATHS.availabilitySets,
	apiVersion: COMPUTE_VERSION,
	read: ({ path: { resourceGroupName = "" } }) => resourceGroupName,
	run: (group, { world }) => ({ status: 200, body: { value: setsOf(world, group).map((set) => setView(world, set)) } }),
});

export const deleteAvailabilitySet = defineAction<Name>({
	name: "availabilitySets.delete",
	method: "DELETE",
	path: PATHS.availabilitySet,
	apiVersion: COMPUTE_VERSION,
	read: nameIn,
	run({ resourceGroup, name }, { world }) {
		const found = findSet(world, resourceGroup, name);
		if (!found) return { status: 204 };
		if (membersOf(world, found).length > 0)
			throw new ArmError(
				"OperationNotAllowed",
				`Availability Set '${name}' cannot be deleted. Before deleting an Availability Set please ensure that it does not contain any VM.`,
			);
		world.availabilitySets.remove(found);
		return { status: 200 };
	},
});

function setView(world: World, set: AvailabilitySetRecord): Record<string, unknown> {
	const { resourceGroup, name, request } = set;
	const id = `/subscriptions/${world.options.subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute/availabilitySets/${name}`;
	return { ...request, id, name, type: "Microsoft.Compute/availabilitySets" };
}
