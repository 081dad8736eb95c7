import { ArmError } from "../arm-error.ts";
import type { AzureMachine } from "../machine.ts";
import { type ArmReply, defineAction } from "./action.ts";
import { PATHS } from "./paths.ts";

/** The state of a creation, deletion, deallocation or start that is in progress or completed. */
export const getOperation = defineAction<{ operationId: string; location: string }>({
	name: "operations.get",
	method: "GET",
	path: PATHS.operation,
	apiVersion: null,
	read: ({ path: { operationId = "", location = "" } }) => ({ operationId, location }),
	facts: ({ location }) => ({ region: location }),
	run({ operationId }, { world }) {
		const [, kind, vmId = ""] = /^(create|delete|deallocate|start)-(.+)$/.exec(operationId) ?? [];
		const machine = world.book.machine(vmId);
		if (kind === undefined || !machine) throw new ArmError("ResourceNotFound", `The operation '${operationId}' was not found.`, 404);
		if (kind === "deallocate") return deallocation(machine, operationId);
		return kind === "delete" ? deletion(machine, operationId) : boot(machine, operationId);
	},
});

/** A creation, or a later start. */
function boot({ state, failure, launchedAtMs, runningAtMs }: AzureMachine, name: string): ArmReply {
	const startTime = new Date(launchedAtMs).toISOString();
	if (failure) return { status: 200, body: { name, startTime, status: "Failed", error: failure } };
	if (state === "pending") return { status: 200, body: { name, startTime, status: "InProgress" }, headers: { "retry-after": "1" } };
	const endTime = runningAtMs === null ? undefined : new Date(runningAtMs).toISOString();
	return { status: 200, body: { name, startTime, endTime, status: "Succeeded" } };
}

function deletion({ state, deletingAtMs, endedAtMs }: AzureMachine, name: string): ArmReply {
	const startTime = deletingAtMs === null ? undefined : new Date(deletingAtMs).toISOString();
	if (state !== "terminated") return { status: 200, body: { name, startTime, status: "InProgress" }, headers: { "retry-after": "1" } };
	const endTime = endedAtMs === null ? undefined : new Date(endedAtMs).toISOString();
	return { status: 200, body: { name, startTime, endTime, status: "Succeeded" } };
}

function deallocation({ state, deallocatingAtMs, endedAtMs }: AzureMachine, name: string): ArmReply {
	const startTime = deallocatingAtMs === null ? undefined : new Date(deallocatingAtMs).toISOString();
	if (state === "stopping") return { status: 200, body: { name, startTime, status: "InProgress" }, headers: { "retry-after": "1" } };
	const endTime = endedAtMs === null ? undefined : new Date(endedAtMs).toISOString();
	return { status: 200, body: { name, startTime, endTime, status: "Succeeded" } };
}
