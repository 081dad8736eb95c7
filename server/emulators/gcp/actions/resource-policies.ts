import { z } from "zod";
import { newNumber } from "../book/operation-book.ts";
import type { ResourcePolicyRecord } from "../book/resource-policies.ts";
import { compileFilter } from "../filters.ts";
import { GceError, invalidField, notEmulated, notFound } from "../gce-error.ts";
import { takePage } from "../paging.ts";
import { membersOf } from "../placement-rules.ts";
import { googleTime } from "../views/instance-view.ts";
import { addressOf, type World } from "../world.ts";
import { type Call, defineAction } from "./action.ts";

const SERVICE = "ResourcePolicies";
const NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const policySchema = z.looseObject({
	name: z.string().default(""),
	groupPlacementPolicy: z.looseObject({ collocation: z.string().optional() }).optional(),
});

/** Only compact placement policies. */
export const insertResourcePolicy = defineAction({
	service: SERVICE,
	method: "Insert",
	run(call) {
		const { world, body } = call;
		const region = regionOf(call);
		const { name, groupPlacementPolicy: placement } = policySchema.parse(body);
		if (!NAME.test(name)) throw invalidField("resource.name", name, `Must be a match of regex '${NAME.source}'`);
		if (placement?.collocation !== "COLLOCATED") throw notEmulated("resource policies other than compact placement");
		if (world.resourcePolicies.find(region, name))
			throw new GceError("alreadyExists", `The resource '${pathOf(world, region, name)}' already exists`);
		const policy = { region, name, id: newNumber(), madeAtMs: world.options.clock(), resource: body };
		world.resourcePolicies.add(policy);
		return doneView(call, "insert", policy);
	},
});

export const getResourcePolicy = defineAction({
	service: SERVICE,
	method: "Get",
	run: (call) => policyView(call.world, policyOf(call)),
});

export const listResourcePolicies = defineAction({
	service: SERVICE,
	method: "List",
	query: ["filter", "maxResults", "pageToken"],
	run(call) {
		const { world, query } = call;
		const test = compileFilter(query.get("filter"), "ResourcePolicy");
		const views = world.resourcePolicies.in(regionOf(call)).map((policy) => ({ name: policy.name, ...policyView(world, policy) }));
		const { items, nextPageToken } = takePage(views.filter(test), ({ name }) => name, query);
		return { kind: "compute#resourcePolicyList", items, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
	},
});

export const deleteResourcePolicy = defineAction({
	service: SERVICE,
	method: "Delete",
	run(call) {
		const { world } = call;
		const policy = policyOf(call);
		const [member] = membersOf(world, policy);
		if (member) {
			const [path, user] = [pathOf(world, policy.region, policy.name), `zones/${member.zone}/instances/${member.name}`];
			throw new GceError("resourceInUseByAnotherResource", `The resource_policy resource '${path}' is already being used by '${user}'`);
		}
		world.resourcePolicies.remove(policy);
		return doneView(call, "delete", policy);
	},
});

const pathOf = (world: World, region: string, name: string): string =>
	`projects/${world.options.project}/regions/${region}/resourcePolicies/${name}`;

function regionOf({ world, params }: Call): string {
	const region = params["region"] ?? "";
	if (!world.catalog.regions.has(region)) throw notFound(`projects/${world.options.project}/regions/${region}`);
	return region;
}

function policyOf(call: Call): ResourcePolicyRecord {
	const region = regionOf(call);
	const name = call.params["resourcePolicy"] ?? "";
	const found = call.world.resourcePolicies.find(region, name);
	if (!found) throw notFound(pathOf(call.world, region, name));
	return found;
}

function policyView(world: World, { region, name, id, madeAtMs, resource }: ResourcePolicyRecord): Record<string, unknown> {
	return {
		...resource,
		...{ kind: "compute#resourcePolicy", id, name, status: "READY", creationTimestamp: googleTime(madeAtMs) },
		...{ region: addressOf(world, `regions/${region}`), selfLink: addressOf(world, `regions/${region}/resourcePolicies/${name}`) },
	};
}

/** The operation of a change, which is complete at once. It is not kept. */
function doneView({ world, account }: Call, operationType: string, { region, name, id }: ResourcePolicyRecord): Record<string, unknown> {
	const time = googleTime(world.options.clock());
	const number = newNumber();
	return {
		...{ kind: "compute#operation", id: number, name: `operation-${number}`, operationType, status: "DONE", progress: 100, user: account },
		...{ region: addressOf(world, `regions/${region}`), targetId: id, insertTime: time, startTime: time, endTime: time },
		targetLink: addressOf(world, `regions/${region}/resourcePolicies/${name}`),
		selfLink: addressOf(world, `regions/${region}/operations/operation-${number}`),
	};
}
