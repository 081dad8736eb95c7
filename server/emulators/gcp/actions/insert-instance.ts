import { randomBytes } from "node:crypto";
import { durationOf, type FaultBehaviour } from "../../shared/faults.ts";
import { isAlive, newMachineRecord } from "../../shared/machine-record.ts";
import { newNumber } from "../book/operation-book.ts";
import type { InstanceRecord, OperationRecord } from "../book/records.ts";
import { GceError, invalidField, notFound } from "../gce-error.ts";
import { operationView } from "../views/operation-view.ts";
import { findMachine } from "../world.ts";
import { type Call, defineAction } from "./action.ts";
import { type Launch, readInstance } from "./read-instance.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Accepts the request for one machine. The same requestId returns the same operation, whatever else is requested. The operation
 * reports missing capacity; the response reports errors in the request itself.
 */
export const insertInstance = defineAction({
	service: "Instances",
	method: "Insert",
	query: ["requestId"],
	facts: ({ body }) => ({
		instanceType: String(body["machineType"] ?? "").replace(/^.*\//, ""),
		spot: JSON.stringify(body["scheduling"] ?? {}).includes('"SPOT"'),
	}),
	run(call) {
		const { world, params, query } = call;
		const zone = params["zone"] ?? "";
		if (world.catalog.regionOf(zone) === undefined) throw notFound(`projects/${world.options.project}/zones/${zone}`);
		const requestId = readRequestId(query);
		const earlier = requestId === null ? undefined : world.operations.byRequestId(zone, requestId, world.options.clock());
		if (earlier) return operationView(world, earlier);
		const launch = readInstance(world, zone, call.body);
		if (findMachine(world, zone, launch.name)) {
			throw new GceError(
				"alreadyExists",
				`The resource 'projects/${world.options.project}/zones/${zone}/instances/${launch.name}' already exists`,
			);
		}
		if (world.closing) throw new GceError("backendError", "The emulated Compute Engine endpoint is stopping; nothing new is launched.");
		return operationView(world, place(call, zone, requestId, launch));
	},
});

function readRequestId(query: URLSearchParams): string | null {
	const requestId = query.get("requestId");
	if (requestId !== null && (!UUID.test(requestId) || !/[1-9a-f]/.test(requestId))) {
		throw invalidField("requestId", requestId, "Must be a valid UUID, but not the zero UUID.");
	}
	return requestId;
}

/** Creates the machine, or records why there is none. */
function place(call: Call, zone: string, requestId: string | null, launch: Launch): OperationRecord {
	const { world, account } = call;
	const nowMs = world.options.clock();
	const made = { operationType: "insert", zone, targetName: launch.name, requestId, insertedAtMs: nowMs, user: account };
	try {
		const region = world.catalog.regionOf(zone) ?? "";
		const facts = { action: "Instances.Insert", region, zone, instanceType: launch.machineType, spot: launch.spot };
		const behaviours = world.faults.take("launch", facts);
		assertRoom(call, zone, launch, behaviours);
		const machine = newMachine(call, zone, launch, behaviours);
		const operation = world.operations.add({ ...made, targetId: machine.instanceId, failure: null });
		world.machines.add(machine);
		world.lifecycle.schedule(machine);
		world.expiry.watch(machine);
		return operation;
	} catch (error) {
		if (!(error instanceof GceError)) throw error;
		const failure = { code: error.reason, message: error.message, httpStatus: error.httpStatus, atMs: nowMs + world.options.bootDelayMs };
		return world.operations.add({ ...made, targetId: newNumber(), failure });
	}
}

function assertRoom({ world }: Call, zone: string, { machineType, spot }: Launch, behaviours: readonly FaultBehaviour[]): void {
	const live = world.machines.machines().filter(({ state }) => isAlive(state)).length;
	if (live >= world.options.maxLiveInstances) {
		throw new GceError("QUOTA_EXCEEDED", `Quota 'INSTANCES' exceeded. Limit: ${world.options.maxLiveInstances}.0 in the project.`);
	}
	const isEmpty = behaviours.some((behaviour) => behaviour.kind === "limited_capacity" && behaviour.available < 1);
	const isSold = !spot || world.catalog.type(zone, machineType)?.spot;
	if (isEmpty || !isSold) throw new GceError("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS");
}

function newMachine({ world }: Call, zone: string, launch: Launch, behaviours: readonly FaultBehaviour[]): InstanceRecord {
	const vanishes = behaviours.some(({ kind }) => kind === "vanish");
	return {
		...newMachineRecord({
			instanceId: newNumber(),
			ordinal: world.machines.nextOrdinal(),
			metadataSecret: randomBytes(16).toString("hex"),
			nowMs: world.options.clock(),
			bootDelayMs: world.options.bootDelayMs + durationOf(behaviours, "slow_boot"),
			invisibleMs: durationOf(behaviours, "invisible"),
			vanishAfterMs: vanishes ? durationOf(behaviours, "vanish") : null,
		}),
		zone,
		slice: null,
		...launch,
	};
}
