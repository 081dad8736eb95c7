import { z } from "zod";
import type { InstanceObservation } from "../driver.ts";
import { instanceIdOfName, lastPart, providerIdOf, regionOfZone } from "./names.ts";

/** The fields of Google's `Operation` that are read: the record of one change, which Google keeps for two weeks. */
export const operationSchema = z.object({
	name: z.string().min(1),
	operationType: z.string().min(1),
	status: z.enum(["PENDING", "RUNNING", "DONE"]),
	targetId: z.string().regex(/^\d+$/),
	targetLink: z.string().min(1),
	zone: z.string().min(1),
	insertTime: z.iso.datetime({ offset: true }),
	endTime: z.iso.datetime({ offset: true }).nullish(),
	httpErrorStatusCode: z.number().nullish(),
	error: z.object({ errors: z.array(z.object({ code: z.string(), message: z.string().default("") })).default([]) }).nullish(),
});
export type GceOperation = z.output<typeof operationSchema>;

/** Why the operation failed; null while it runs and if it succeeded. */
export function failureOf(op: GceOperation): { errors: { code: string; message: string }[]; httpStatus: number | null } | null {
	if (op.status !== "DONE" || !op.error) return null;
	return { errors: op.error.errors, httpStatus: op.httpErrorStatusCode ?? null };
}

/** Operations by Google on a machine that continues afterwards. */
const GOES_ON = /migrate|restart|repair|simulate/i;

/** Operations that end a machine, by Google's names: our own call, a preemption, the end of its lifetime, and similar. */
function isEnding({ operationType }: GceOperation): boolean {
	if (operationType === "delete" || operationType === "stop") return true;
	return operationType.startsWith("compute.instances.") && !GOES_ON.test(operationType);
}

/** The control loop detects an interruption by the word spot. */
const WORDS: Record<string, string> = { "compute.instances.preempted": "spot: compute.instances.preempted" };

export interface Ending {
	code: string;
	/** The machine does not exist any more, if lists do not show it either. */
	over: boolean;
	/** When it was requested, or when its end started if its creation is no longer on record. */
	launchedAtMs: number;
	/** When it was created and ran; null if not on record, or if it never ran. */
	ranFromMs: number | null;
	/** When it stopped running; null while that is in progress. */
	untilMs: number | null;
	operation: GceOperation;
}

/** The record of a machine's end, by its number: the latest ending that did not fail, or its failed creation. */
export function endingsOf(operations: readonly GceOperation[]): Map<string, Ending> {
	const endings = new Map<string, Ending>();
	const launches = new Map<string, GceOperation>();
	for (const operation of operations.toSorted((a, b) => Date.parse(a.insertTime) - Date.parse(b.insertTime))) {
		const { targetId, operationType, status } = operation;
		const failure = failureOf(operation);
		if (operationType === "insert") launches.set(targetId, operation);
		// It runs again.
		if (operationType === "start" && failure === null) endings.delete(targetId);
		const isEnd = operationType === "insert" ? failure !== null : isEnding(operation) && failure === null;
		if (!isEnd) continue;
		const earlier = endings.get(targetId);
		// The preemption is more informative than the later deletion of what was left.
		const code = earlier?.code.startsWith("spot") ? earlier.code : (failure?.errors[0]?.code ?? WORDS[operationType] ?? operationType);
		const launch = launches.get(targetId);
		// One that our call stopped went on to cost its disk.
		const wasStopped = earlier?.operation.operationType === "stop";
		const untilMs = earliest(wasStopped ? null : (earlier?.untilMs ?? null), stoppedAtMs(operation));
		endings.set(targetId, {
			...{ code, over: status === "DONE", untilMs, operation },
			launchedAtMs: Date.parse((launch ?? operation).insertTime),
			ranFromMs: launch?.endTime && !failureOf(launch) ? Date.parse(launch.endTime) : null,
		});
	}
	return endings;
}

/**
 * A machine runs until it is asked to stop. A preempted one gets its notice first, and the operation ends when it has stopped.
 */
function stoppedAtMs({ operationType, insertTime, endTime }: GceOperation): number | null {
	if (operationType !== "compute.instances.preempted") return Date.parse(insertTime);
	return endTime ? Date.parse(endTime) : null;
}

function earliest(a: number | null, b: number | null): number | null {
	return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/**
 * A machine that no longer exists, based on the record of its end, because Google no longer lists it. Its type is unknown, and
 * its capacity type is known only if it was preempted.
 */
export function goneObservation(controlPlane: string, { operation, code, launchedAtMs, ranFromMs, untilMs }: Ending): InstanceObservation {
	const zone = lastPart(operation.zone);
	return {
		providerInstanceId: providerIdOf(zone, operation.targetId),
		instanceId: instanceIdOfName(controlPlane, lastPart(operation.targetLink)),
		region: regionOfZone(zone),
		zone,
		instanceType: "unknown",
		capacityType: code.startsWith("spot") ? "spot" : "on_demand",
		state: "terminated",
		launchedAtMs,
		billing: operation.operationType === "insert" ? { phase: "never" } : { phase: "over", fromMs: ranFromMs, untilMs },
		stateReasonCode: code,
		privateAddress: null,
	};
}
