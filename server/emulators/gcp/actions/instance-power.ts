import type { FaultBehaviour } from "../../shared/faults.ts";
import type { InstanceRecord, OperationRecord } from "../book/records.ts";
import { END_CAUSES } from "../end-causes.ts";
import { GceError, invalidField, notEmulated } from "../gce-error.ts";
import { operationView } from "../views/operation-view.ts";
import { type Call, defineAction } from "./action.ts";
import { machineOf } from "./instances.ts";

/** Machine types that always have Local SSD disks. Source: Compute Engine, "About Local SSD disks", "Machine series". */
const LOCAL_SSD = /^(a2-ultragpu|a3|a4x?)-/;

/** Stopping a stopped machine is no error. Its Local SSD disks must be given up: keeping them is not emulated. */
export const stopInstance = defineAction({
	service: "Instances",
	method: "Stop",
	query: ["discardLocalSsd"],
	run(call) {
		const machine = machineOf(call);
		requireSettled(machine, ["running", "stopping", "stopped"]);
		checkLocalSsd(machine, call.query.get("discardLocalSsd"));
		const operation = record(call, machine, END_CAUSES.stop.code, null);
		call.world.lifecycle.end(machine, END_CAUSES.stop, "stopped", call.delays.terminationMs, operation.insertedAtMs);
		return operationView(call.world, operation);
	},
});

function checkLocalSsd({ machineType }: InstanceRecord, discard: string | null): void {
	if (!LOCAL_SSD.test(machineType) || discard === "true") return;
	if (discard === "false") throw notEmulated("a stop that keeps Local SSD disks");
	throw new GceError("badRequest", "VM has a Local SSD attached but an undefined value for `discard-local-ssd`.");
}

/** Starting a running machine is no error. A stopped one needs capacity like a new one, and the operation reports if there is none. */
export const startInstance = defineAction({
	service: "Instances",
	method: "Start",
	run(call) {
		const { world } = call;
		const machine = machineOf(call);
		requireSettled(machine, ["pending", "running", "stopped"]);
		if (machine.state !== "stopped") return operationView(world, record(call, machine, "start", null));
		const { termination } = machine;
		if (termination !== null && termination.atMs <= world.options.clock()) {
			throw invalidField("resource.scheduling.terminationTime", new Date(termination.atMs).toISOString(), "It must be in the future.");
		}
		const failure = findFailure(call, machine);
		const operation = record(call, machine, "start", failure);
		if (failure === null) {
			world.lifecycle.start(machine);
			world.expiry.watch(machine);
		}
		return operationView(world, operation);
	},
});

function findFailure({ world }: Call, { zone, machineType: instanceType, spot }: InstanceRecord): OperationRecord["failure"] {
	const region = world.catalog.regionOf(zone) ?? "";
	try {
		const behaviours = world.faults.take("launch", { action: "Instances.Start", region, zone, instanceType, spot });
		if (!isFull(behaviours)) return null;
		throw new GceError("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS");
	} catch (error) {
		if (!(error instanceof GceError)) throw error;
		return { code: error.reason, message: error.message, httpStatus: error.httpStatus, atMs: world.options.clock() };
	}
}

function isFull(behaviours: readonly FaultBehaviour[]): boolean {
	return behaviours.some((behaviour) => behaviour.kind === "limited_capacity" && behaviour.available < 1);
}

function requireSettled({ name, state }: InstanceRecord, states: readonly InstanceRecord["state"][]): void {
	if (!states.includes(state)) throw new GceError("resourceNotReady", `The resource '${name}' is not ready`);
}

function record(call: Call, machine: InstanceRecord, operationType: string, failure: OperationRecord["failure"]): OperationRecord {
	const { world, account } = call;
	const { zone, instanceId: targetId, name: targetName } = machine;
	const insertedAtMs = world.options.clock();
	return world.operations.add({ operationType, zone, targetId, targetName, requestId: null, insertedAtMs, user: account, failure });
}
