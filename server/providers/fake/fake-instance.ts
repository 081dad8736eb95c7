import type { InstanceObservation, LaunchRequest } from "../driver.ts";

/** A machine of the fake cloud: what is true, apart from what calls are shown of it. */
export interface FakeInstance {
	providerInstanceId: string;
	controlPlane: string;
	/** Null on a machine that somebody tagged with the control plane's name alone. */
	instanceId: string | null;
	request: LaunchRequest;
	zone: string;
	createdAtMs: number;
	/** No call but a repeated launch sees it before. */
	visibleAtMs: number;
	runningAtMs: number;
	terminateDelayMs: number;
	/** When it began to end, and why. */
	stoppingAtMs: number | null;
	stateReasonCode: string | null;
	/** Gone without a trace from then on; it costs nothing more. */
	vanishesAtMs: number | null;
	/** The provider announced that it takes the machine at this time. */
	interruptedAtMs: number | null;
}

/** Reason codes as EC2 words them; source: EC2 API reference, StateReason. */
export const USER_TERMINATED = "Client.UserInitiatedShutdown";
export const SPOT_TERMINATED = "Server.SpotInstanceTermination";

export function hasVanished(instance: FakeInstance, nowMs: number): boolean {
	return instance.vanishesAtMs !== null && instance.vanishesAtMs <= nowMs;
}

export function terminatedAtMs(instance: FakeInstance): number | null {
	return instance.stoppingAtMs === null ? null : instance.stoppingAtMs + instance.terminateDelayMs;
}

/** Whether it exists and costs money now. */
export function isAlive(instance: FakeInstance, nowMs: number): boolean {
	const endMs = terminatedAtMs(instance);
	return instance.createdAtMs <= nowMs && !hasVanished(instance, nowMs) && (endMs === null || endMs > nowMs);
}

export function observeInstance(instance: FakeInstance, nowMs: number): InstanceObservation {
	const { request, stoppingAtMs } = instance;
	const endMs = terminatedAtMs(instance);
	const stopping = stoppingAtMs !== null && stoppingAtMs <= nowMs;
	const terminated = endMs !== null && endMs <= nowMs;
	return {
		providerInstanceId: instance.providerInstanceId,
		instanceId: instance.instanceId,
		region: request.region,
		zone: instance.zone,
		instanceType: request.instanceType,
		capacityType: request.capacityType,
		state: terminated ? "terminated" : stopping ? "stopping" : nowMs < instance.runningAtMs ? "pending" : "running",
		launchedAtMs: instance.createdAtMs,
		// It costs from its creation to its end, by `isAlive`, and does not report these times.
		billing: terminated ? { phase: "over", fromMs: instance.createdAtMs, untilMs: null } : { phase: "now", fromMs: instance.createdAtMs },
		stateReasonCode: stopping ? instance.stateReasonCode : null,
		privateAddress: terminated ? null : "127.0.0.1",
	};
}
