import { setTimeout as sleep } from "node:timers/promises";
import type { InstanceObservation, LaunchRequest } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import type { ComputeCalls } from "./client.ts";
import { operationError } from "./errors.ts";
import { type GceInstance, hasCapacity, instanceResource, observationOf } from "./mapper.ts";
import { INSTANCE_LABEL, lastPart, machineName, REQUEST_LABEL, requestIdOf } from "./names.ts";
import { endingsOf, failureOf, type GceOperation, goneObservation } from "./operations.ts";
import type { ParsedGcpSettings } from "./settings.ts";

interface Order {
	compute: ComputeCalls;
	settings: ParsedGcpSettings;
	request: LaunchRequest;
	zone: string;
	name: string;
	resource: ReturnType<typeof instanceResource>;
}

/**
 * Launches one machine per token, however often it is called. Three mechanisms ensure that. Google's record of operations, kept
 * for two weeks: a machine that was created once is not created again, even after its end. The request id, which Google remembers
 * for an hour and which covers a lagging record. The name, which only one machine in a zone can have. Returns when Google has
 * allocated the machine, which the operation reports and the call's response does not.
 */
export async function launchMachine(
	compute: ComputeCalls,
	settings: ParsedGcpSettings,
	request: LaunchRequest,
	{ zone, nowMs }: { zone: string; nowMs: number },
): Promise<InstanceObservation> {
	const name = machineName(settings.controlPlane, request.instanceId);
	const order = { compute, settings, request, zone, name, resource: instanceResource(request, zone, settings, nowMs) };
	const operation = await findOrPlace(order);
	if (operation === null) return observeNamed(order, null);
	return follow(order, operation);
}

/** The operation that creates the machine; null if a machine with this name exists and no operation records its creation. */
async function findOrPlace({ compute, zone, name, resource }: Order): Promise<GceOperation | null> {
	const earlier = (await compute.operations(zone, { targetText: name, type: "insert", sinceMs: 0 })).filter(
		(op) => lastPart(op.targetLink) === name,
	);
	const known = earlier.find((op) => failureOf(op) === null);
	if (known) return known;
	try {
		// All earlier ones failed, so this is a new try.
		return await compute.insert(zone, resource, requestIdOf(name, earlier.length));
	} catch (error) {
		if (error instanceof DriverError && error.providerCode === "alreadyExists") return null;
		if (error instanceof DriverError && error.kind === "not_found")
			throw new DriverError("invalid_request", error.message, { providerCode: error.providerCode ?? "notFound", cause: error });
		throw error;
	}
}

/** Polls until the operation is complete or Google has allocated the machine. */
async function follow(order: Order, placed: GceOperation): Promise<InstanceObservation> {
	const { compute, settings, zone, name } = order;
	const giveUpAt = performance.now() + settings.capacityTimeoutMs;
	for (let operation = placed; ; operation = await compute.operation(zone, operation.name)) {
		const failure = failureOf(operation);
		if (failure) throw operationError(failure, `launch of ${name} in ${zone}`);
		if (operation.status === "DONE") return observeNamed(order, operation);
		const instance = await compute.instance(zone, name);
		if (instance && hasCapacity(instance)) return checked(order, instance);
		if (performance.now() >= giveUpAt) {
			const message = `Google Cloud: launch of ${name} in ${zone}: no result after ${settings.capacityTimeoutMs} ms; retrying`;
			throw new DriverError("transient", message, { providerCode: "OperationRunning" });
		}
		await sleep(settings.operationPollMs);
	}
}

/** The created machine, or the record of its end. */
async function observeNamed(order: Order, operation: GceOperation | null): Promise<InstanceObservation> {
	const { compute, settings, request, zone, name } = order;
	const instance = await compute.instance(zone, name);
	if (instance && (operation === null || instance.id === operation.targetId)) return checked(order, instance);
	const history = operation ? await compute.operations(zone, { targetText: name, sinceMs: Date.parse(operation.insertTime) }) : [];
	const ending = operation ? endingsOf(history).get(operation.targetId) : undefined;
	if (operation && ending?.over) {
		const gone = goneObservation(settings.controlPlane, ending);
		const { instanceType, capacityType, instanceId } = request;
		return { ...gone, instanceType, capacityType, instanceId };
	}
	const message = `Google Cloud: launch of ${name} in ${zone}: the instance was created but is not listed yet; retrying`;
	throw new DriverError("transient", message, { providerCode: "NotShown" });
}

function checked({ request, resource, name, zone }: Order, instance: GceInstance): InstanceObservation {
	if (instance.labels[INSTANCE_LABEL] !== request.instanceId) {
		const message = `Google Cloud: launch of ${name} in ${zone}: an instance of another owner already has this name; delete or rename it`;
		throw new DriverError("invalid_request", message, { providerCode: "alreadyExists" });
	}
	if (instance.labels[REQUEST_LABEL] !== resource.labels?.[REQUEST_LABEL]) {
		const message = `Google Cloud: launch of ${name} in ${zone}: the instance was created by a different request and is used as is`;
		throw new DriverError("token_mismatch", message, { providerCode: "RequestMismatch" });
	}
	return observationOf(instance);
}
