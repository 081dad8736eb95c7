import type { FaultSpec } from "#server/emulators/shared/faults.ts";
import type { Cloud, ProviderFault } from "./plan.ts";

const LAUNCH: Record<Cloud, string> = { aws: "RunInstances", azure: "virtualMachines.createOrUpdate", gcp: "Instances.Insert" };
const TERMINATE: Record<Cloud, string> = { aws: "TerminateInstances", azure: "virtualMachines.delete", gcp: "Instances.Delete" };
const NO_CAPACITY: Record<Cloud, string> = {
	aws: "InsufficientInstanceCapacity",
	azure: "AllocationFailed",
	gcp: "ZONE_RESOURCE_POOL_EXHAUSTED",
};
const THROTTLED: Record<Cloud, string> = { aws: "RequestLimitExceeded", azure: "TooManyRequests", gcp: "rateLimitExceeded" };
const SERVER_ERROR: Record<Cloud, string> = { aws: "InternalError", azure: "InternalExecutionError", gcp: "backendError" };

/** The error that a failed region returns. */
export function regionDown(cloud: Cloud): string {
	return SERVER_ERROR[cloud];
}

/** Translates a fault to an emulated cloud's script. */
export function faultSpecOf(cloud: Cloud, { kind, times, durationMs }: ProviderFault): FaultSpec {
	const launch = { action: LAUNCH[cloud], times };
	const terminate = { action: TERMINATE[cloud], times };
	switch (kind) {
		case "no_capacity":
			return { ...launch, error: { code: NO_CAPACITY[cloud] } };
		case "throttled":
			return { action: "*", times: times * 3, error: { code: THROTTLED[cloud] } };
		case "server_error":
			return { action: "*", times: times * 3, error: { code: SERVER_ERROR[cloud] } };
		case "launch_answer_lost":
			return { ...launch, behaviour: { kind: "lose_answer" } };
		case "launch_answer_late":
			return { ...launch, behaviour: { kind: "delay_answer", durationMs } };
		case "launch_invisible":
			return { ...launch, behaviour: { kind: "invisible", durationMs } };
		case "slow_boot":
			return { ...launch, behaviour: { kind: "slow_boot", durationMs } };
		case "vanish":
			return { ...launch, behaviour: { kind: "vanish", durationMs } };
		case "terminate_answer_lost":
			return { ...terminate, behaviour: { kind: "lose_answer" } };
		case "slow_termination":
			return { ...terminate, behaviour: { kind: "slow_termination", durationMs } };
		case "terminate_refused":
			return { ...terminate, error: { code: SERVER_ERROR[cloud] } };
	}
}
