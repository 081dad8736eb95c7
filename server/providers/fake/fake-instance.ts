import type { Billing, InstanceObservation, LaunchRequest } from "../driver.ts";

/** A machine of the fake cloud: its true state, independent of what calls show. */
export interface FakeInstance {
	providerInstanceId: string;
	controlPlane: string;
	/** null for a machine that someone tagged only with the control plane's name. */
	instanceId: string | null;
	request: LaunchRequest;
	zone: string;
	createdAtMs: number;
	/** Hidden before this time from every call except a repeated launch. */
	visibleAtMs: number;
	runningAtMs: number;
	terminateDelayMs: number;
	/** When it was stopped by request; null: it runs. */
	stoppedAtMs: number | null;
	/** When and why it started to end. */
	stoppingAtMs: number | null;
	stateReasonCode: string | null;
	/** When it vanished without a trace; from then on it costs nothing. */
	vanishesAtMs: number | null;
	/** When the provider reclaims the machine, once announced. */
	interruptedAtMs: number | null;
}

/** Reason codes in EC2's format; source: EC2 API reference, StateReason. */
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

function liveState({ stoppedAtMs, runningAtMs }: FakeInstance, nowMs: number): InstanceObservation["state"] {
	if (stoppedAtMs !== null) return "stopped";
	return nowMs < runningAtMs ? "pending" : "running";
}

/** It costs from its creation to its end, by `isAlive`, but reports neither time; only when it was stopped. */
function billingOf({ createdAtMs, stoppedAtMs }: FakeInstance, terminated: boolean): Billing {
	if (terminated) return { phase: "over", fromMs: createdAtMs, untilMs: null };
	if (stoppedAtMs !== null) return { phase: "over", fromMs: createdAtMs, untilMs: stoppedAtMs };
	return { phase: "now", fromMs: createdAtMs };
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
		state: terminated ? "terminated" : stopping ? "stopping" : liveState(instance, nowMs),
		launchedAtMs: instance.createdAtMs,
		billing: billingOf(instance, terminated),
		stateReasonCode: stopping ? instance.stateReasonCode : null,
		privateAddress: terminated ? null : "127.0.0.1",
	};
}
