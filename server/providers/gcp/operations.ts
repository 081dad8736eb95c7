import { z } from "zod";
import type { InstanceObservation } from "../driver.ts";
import { instanceIdOfName, lastPart, providerIdOf, regionOfZone } from "./names.ts";

/** What we read of Google's `Operation`: the record of one change, which Google keeps for two weeks. */
export const operationSchema = z.object({
	name: z.string().min(1),
	operationType: z.string().min(1),
	status: z.enum(["PENDING", "RUNNING", "DONE"]),
	targetId: z.string().regex(/^\d+$/),
	targetLink: z.string().min(1),
	zone: z.string().min(1),
	insertTime: z.iso.datetime({ offset: true }),
	httpErrorStatusCode: z.number().nullish(),
	error: z.object({ errors: z.array(z.object({ code: z.string(), message: z.string().default("") })).default([]) }).nullish(),
});
export type GceOperation = z.output<typeof operationSchema>;

/** Why the operation failed, or null while it runs and when it did not. */
export function failureOf(op: GceOperation): { errors: { code: string; message: string }[]; httpStatus: number | null } | null {
	if (op.status !== "DONE" || !op.error) return null;
	return { errors: op.error.errors, httpStatus: op.httpErrorStatusCode ?? null };
}

/** What Google does to a machine that goes on afterwards. */
const GOES_ON = /migrate|restart|repair|simulate/i;

/** What takes a machine away, by Google's names: our own call, the loss of spot capacity, the end of its life, and their like. */
function isEnding({ operationType }: GceOperation): boolean {
	if (operationType === "delete" || operationType === "stop") return true;
	return operationType.startsWith("compute.instances.") && !GOES_ON.test(operationType);
}

/** The loop reads an interruption from the word spot. */
const WORDS: Record<string, string> = { "compute.instances.preempted": "spot: compute.instances.preempted" };

/**
 * What is on record about the end of a machine, by its number: the newest ending that did not fail, or the failure of its
 * making. `over` tells that the machine is not there any more, if the lists do not show it either.
 */
export function endingsOf(operations: readonly GceOperation[]): Map<string, { code: string; over: boolean; operation: GceOperation }> {
	const endings = new Map<string, { code: string; over: boolean; operation: GceOperation }>();
	for (const op of operations.toSorted((a, b) => Date.parse(a.insertTime) - Date.parse(b.insertTime))) {
		const failure = failureOf(op);
		const failedInsert = op.operationType === "insert" && failure !== null;
		if (!failedInsert && (!isEnding(op) || failure !== null)) continue;
		const earlier = endings.get(op.targetId);
		// That it was preempted says more than that what was left of it was deleted afterwards.
		const code = earlier?.code.startsWith("spot")
			? earlier.code
			: (failure?.errors[0]?.code ?? WORDS[op.operationType] ?? op.operationType);
		endings.set(op.targetId, { code, over: op.status === "DONE", operation: op });
	}
	return endings;
}

/**
 * A machine that is gone, as far as the record of its end tells: Google shows it no more. Its type stands nowhere
 * then; how it was bought neither, and the launch's time is not older than the record.
 */
export function goneObservation(controlPlane: string, ending: { code: string; operation: GceOperation }): InstanceObservation {
	const { operation, code } = ending;
	const zone = lastPart(operation.zone);
	return {
		providerInstanceId: providerIdOf(zone, operation.targetId),
		instanceId: instanceIdOfName(controlPlane, lastPart(operation.targetLink)),
		region: regionOfZone(zone),
		zone,
		instanceType: "unknown",
		capacityType: code.startsWith("spot") ? "spot" : "on_demand",
		state: "terminated",
		launchedAtMs: Date.parse(operation.insertTime),
		stateReasonCode: code,
		privateAddress: null,
	};
}
