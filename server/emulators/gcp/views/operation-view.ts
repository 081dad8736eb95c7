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
	if (operation.operationType === "insert") return machine.earlierRuns[0]?.fromMs ?? startedAtMs(machine);
	if (operation.operationType === "start") return startedAgainAtMs(machine, operation);
	if (operation.operationType === END_CAUSES.stop.code) return stoppedAtMs(machine, operation);
	// A preemption is complete once the machine has stopped; the rest is cleaned up afterwards.
	return operation.operationType === END_CAUSES.interruption.code ? machine.endingAtMs : machine.endedAtMs;
}

function startedAtMs(machine: InstanceRecord): number | null {
	return machine.runningAtMs ?? machine.endingAtMs;
}

/** A call on a running machine is complete at once. */
function startedAgainAtMs({ earlierRuns, runningAtMs, endingAtMs }: InstanceRecord, { insertedAtMs }: OperationRecord): number | null {
	const later = earlierRuns.find(({ toMs }) => toMs >= insertedAtMs)?.fromMs ?? runningAtMs ?? endingAtMs;
	return later === null ? null : Math.max(later, insertedAtMs);
}

/** A call on a stopped machine is complete at once. */
function stoppedAtMs({ state, endedAtMs, earlierRuns }: InstanceRecord, { insertedAtMs }: OperationRecord): number | null {
	if (state === "stopping") return null;
	const ended = earlierRuns.find(({ toMs }) => toMs >= insertedAtMs)?.toMs ?? endedAtMs;
	return Math.max(ended ?? insertedAtMs, insertedAtMs);
}
