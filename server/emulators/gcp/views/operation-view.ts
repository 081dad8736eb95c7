import type { InstanceRecord, OperationRecord } from "../book/records.ts";
import { END_CAUSES } from "../end-causes.ts";
import { addressOf, type World } from "../world.ts";
import { googleTime } from "./instance-view.ts";

export function operationView(world: World, operation: OperationRecord): Record<string, unknown> {
	const { zone, name, failure, insertedAtMs } = operation;
	const endedAtMs = endOf(world, operation);
	const failed = failure !== null && endedAtMs !== null;
	return {
		kind: "compute#operation",
		id: operation.id,
		name,
		operationType: operation.operationType,
		zone: addressOf(world, `zones/${zone}`),
		targetId: operation.targetId,
		targetLink: addressOf(world, `zones/${zone}/instances/${operation.targetName}`),
		status: endedAtMs === null ? "RUNNING" : "DONE",
		progress: endedAtMs === null ? 0 : 100,
		user: operation.user,
		insertTime: googleTime(insertedAtMs),
		startTime: googleTime(insertedAtMs),
		...(endedAtMs === null ? {} : { endTime: googleTime(endedAtMs) }),
		selfLink: addressOf(world, `zones/${zone}/operations/${name}`),
		...(failed
			? {
					httpErrorStatusCode: failure.httpStatus,
					httpErrorMessage: failure.httpStatus === 403 ? "FORBIDDEN" : "SERVICE UNAVAILABLE",
					error: { errors: [{ code: failure.code, message: failure.message }] },
				}
			: {}),
	};
}

/** When the change completed or failed; null while it is in progress. */
function endOf(world: World, operation: OperationRecord): number | null {
	const { failure } = operation;
	if (failure) return failure.atMs <= world.options.clock() ? failure.atMs : null;
	const machine = world.machines.machine(operation.targetId);
	if (!machine) return operation.insertedAtMs;
	if (operation.operationType === "insert") return startedAtMs(machine);
	// A preemption is complete once the machine has stopped; the rest is cleaned up afterwards.
	return operation.operationType === END_CAUSES.interruption.code ? machine.endingAtMs : machine.endedAtMs;
}

function startedAtMs(machine: InstanceRecord): number | null {
	return machine.runningAtMs ?? machine.endingAtMs;
}
