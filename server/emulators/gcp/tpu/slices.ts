import { randomBytes } from "node:crypto";
import { tpuSliceOf } from "#server/domain/tpu-slice.ts";
import { newMachineRecord } from "../../shared/machine-record.ts";
import { privateAddressOf } from "../../shared/private-address.ts";
import { newNumber } from "../book/operation-book.ts";
import type { InstanceRecord } from "../book/records.ts";
import { END_CAUSES } from "../end-causes.ts";
import type { World } from "../world.ts";
import type { QueuedResourceBody } from "./queued-resource-body.ts";
import type { SliceRecord } from "./slice-records.ts";

const RPC_RESOURCE_EXHAUSTED = 8;

/** Boots the hosts of a slice and returns their numbers by worker number. */
export function bootHosts(world: World, zone: string, body: QueuedResourceBody): string[] {
	const [spec] = body.tpu.nodeSpec;
	const node = spec?.node;
	const slice = tpuSliceOf({ provider: "gcp", instanceType: node?.acceleratorType ?? "" });
	const numbers = Array.from({ length: slice?.hosts ?? 1 }, newNumber);
	const endpoints = numbers.map((number) => `unknown:unknown:${privateAddressOf(number)}`).join(",");
	for (const [worker, instanceId] of numbers.entries()) {
		const machine: InstanceRecord = {
			...newMachineRecord({
				...{ instanceId, ordinal: world.machines.nextOrdinal(), metadataSecret: randomBytes(16).toString("hex") },
				...{ nowMs: world.options.clock(), bootDelayMs: world.options.bootDelayMs, invisibleMs: 0, vanishAfterMs: null },
			}),
			...{ name: `${spec?.nodeId}-w-${worker}`, zone, machineType: node?.acceleratorType ?? "", spot: body.spot !== undefined },
			labels: node?.labels ?? {},
			attributes: {
				...node?.metadata,
				"agent-worker-number": String(worker),
				"accelerator-type": node?.acceleratorType ?? "",
				"worker-network-endpoints": endpoints,
			},
			...{ termination: null, placementPolicy: null, resource: {}, slice: spec?.nodeId ?? "" },
		};
		world.machines.add(machine);
		world.lifecycle.schedule(machine);
	}
	return numbers;
}

function hostsOf(world: World, { hosts }: SliceRecord): InstanceRecord[] {
	return hosts.flatMap((number) => world.machines.machine(number) ?? []);
}

/** Ends all hosts; the record is removed once they have ended. */
export function endSlice(world: World, slice: SliceRecord): void {
	world.slices.remove(slice);
	world.slices.add({ ...slice, isDeleting: true });
	for (const host of hostsOf(world, slice)) world.lifecycle.end(host, END_CAUSES.user);
}

/** The queued resource's state. If Google ended one host, it ends the others. */
function stateOf(world: World, slice: SliceRecord): string {
	if (slice.isDeleting) return "DELETING";
	if (slice.waitsUntilMs !== null) return world.options.clock() < slice.waitsUntilMs ? "WAITING_FOR_RESOURCES" : "FAILED";
	const hosts = hostsOf(world, slice);
	const isReclaimed = hosts.some(({ stateReason }) => stateReason?.code === END_CAUSES.interruption.code);
	if (isReclaimed) {
		for (const host of hosts) world.lifecycle.end(host, END_CAUSES.interruption);
		return hosts.every(({ state }) => state === "terminated") ? "SUSPENDED" : "SUSPENDING";
	}
	return hosts.some(({ state }) => state === "pending") ? "PROVISIONING" : "ACTIVE";
}

/** Removes the zone's slices after their deletion. */
export function settleSlices(world: World, zone: string): void {
	for (const slice of world.slices.in(zone)) {
		if (slice.isDeleting && hostsOf(world, slice).every(({ state }) => state === "terminated")) world.slices.remove(slice);
	}
}

export function queuedResourceView(world: World, slice: SliceRecord): Record<string, unknown> {
	const { project } = world.options;
	const state = stateOf(world, slice);
	const error = { code: RPC_RESOURCE_EXHAUSTED, message: `There is no more capacity in the zone "${slice.region}"` };
	return {
		name: `projects/${project}/locations/${slice.region}/queuedResources/${slice.name}`,
		createTime: new Date(slice.madeAtMs).toISOString(),
		...slice.body,
		state: { state, stateInitiator: "SERVICE", ...(state === "FAILED" && { failedData: { error } }) },
	};
}

/** null while the slice has no node. */
export function nodeView(world: World, slice: SliceRecord): Record<string, unknown> | null {
	const hosts = hostsOf(world, slice);
	const state = stateOf(world, slice);
	const [spec] = slice.body.tpu.nodeSpec;
	if (hosts.length === 0 || !spec || state === "SUSPENDED") return null;
	return {
		name: `projects/${world.options.project}/locations/${slice.region}/nodes/${spec.nodeId}`,
		...spec.node,
		state: state === "ACTIVE" ? "READY" : state === "PROVISIONING" ? "CREATING" : "DELETING",
		networkEndpoints: hosts.map(({ instanceId }) => ({ ipAddress: privateAddressOf(instanceId), port: 8_470 })),
	};
}
