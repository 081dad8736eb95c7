import type { InstanceRecord } from "../book/records.ts";
import { END_CAUSES } from "../end-causes.ts";
import { compileFilter } from "../filters.ts";
import { notFound } from "../gce-error.ts";
import { takePage } from "../paging.ts";
import { instanceView } from "../views/instance-view.ts";
import { operationView } from "../views/operation-view.ts";
import { findMachine, listedIn, type World } from "../world.ts";
import { type Call, defineAction } from "./action.ts";
import { zoneOf } from "./zones.ts";

const LIST_QUERY = ["filter", "maxResults", "pageToken"];

export const getInstance = defineAction({
	service: "Instances",
	method: "Get",
	run: (call) => instanceView(call.world, machineOf(call)),
});

export const listInstances = defineAction({
	service: "Instances",
	method: "List",
	query: LIST_QUERY,
	run(call) {
		const { world, query } = call;
		const matching = matches(world, query, listedIn(world, zoneOf(call)));
		const { items, nextPageToken } = takePage(matching, keyOf, query);
		return { kind: "compute#instanceList", items: items.map((machine) => instanceView(world, machine)), ...tokenOf(nextPageToken) };
	},
});

/** All zones, including those without machines, which contain a warning instead. */
export const aggregateInstances = defineAction({
	service: "Instances",
	method: "AggregatedList",
	query: LIST_QUERY,
	run({ world, query }) {
		const zones = world.catalog.zones().map(({ zone }) => zone);
		const matching = zones.flatMap((zone) => matches(world, query, listedIn(world, zone)));
		const { items, nextPageToken } = takePage(matching, (machine) => `${machine.zone} ${keyOf(machine)}`, query);
		const byZone = Map.groupBy(items, ({ zone }) => zone);
		const scopes = zones.map((zone) => [`zones/${zone}`, scopeOf(world, zone, byZone.get(zone) ?? [])]);
		return { kind: "compute#instanceAggregatedList", items: Object.fromEntries(scopes), ...tokenOf(nextPageToken) };
	},
});

function scopeOf(world: World, zone: string, machines: readonly InstanceRecord[]): Record<string, unknown> {
	if (machines.length > 0) return { instances: machines.map((machine) => instanceView(world, machine)) };
	const message = `There are no results for scope 'zones/${zone}' on this page.`;
	return { warning: { code: "NO_RESULTS_ON_PAGE", message, data: [{ key: "scope", value: `zones/${zone}` }] } };
}

export const deleteInstance = defineAction({
	service: "Instances",
	method: "Delete",
	query: ["requestId"],
	run(call) {
		const { world, account, delays } = call;
		const { zone, instanceId: targetId, name: targetName } = machineOf(call);
		const nowMs = world.options.clock();
		const facts = { operationType: END_CAUSES.user.code, zone, targetId, targetName, requestId: null, insertedAtMs: nowMs, user: account };
		const operation = world.operations.add({ ...facts, failure: null });
		world.lifecycle.end(machineOf(call), END_CAUSES.user, "terminated", delays.terminationMs, nowMs);
		return operationView(world, operation);
	},
});

export function machineOf(call: Call): InstanceRecord {
	const { world, params } = call;
	const zone = zoneOf(call);
	const machine = findMachine(world, zone, params["instance"] ?? "");
	if (!machine) throw notFound(`projects/${world.options.project}/zones/${zone}/instances/${params["instance"]}`);
	return machine;
}

function matches(world: World, query: URLSearchParams, machines: readonly InstanceRecord[]): InstanceRecord[] {
	const test = compileFilter(query.get("filter"), "Instance");
	return machines.filter((machine) => test(instanceView(world, machine)));
}

const keyOf = ({ ordinal }: InstanceRecord): string => String(ordinal).padStart(12, "0");

function tokenOf(nextPageToken: string | undefined): { nextPageToken?: string } {
	return nextPageToken === undefined ? {} : { nextPageToken };
}
