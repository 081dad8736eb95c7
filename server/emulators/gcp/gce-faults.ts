import { FaultControl } from "../shared/faults.ts";
import { GceError } from "./gce-error.ts";

/** Errors that Google reports in the operation of a launch or start instead of the response. */
const LAUNCH_ERRORS = new Set([
	"INTERNAL_ERROR",
	"QUOTA_EXCEEDED",
	"RESOURCE_OPERATION_RATE_EXCEEDED",
	"ZONE_RESOURCE_POOL_EXHAUSTED",
	"ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS",
]);

/** The fault script for Google: actions such as `Instances.Insert`, and errors by reason or by an operation's code. */
export function gceFaults(): FaultControl {
	return new FaultControl({
		launchActions: new Set(["Instances.Insert", "Instances.Start"]),
		launchErrors: LAUNCH_ERRORS,
		identityFaults: new Set(["absent", "malformed", "expired", "other_machine"]),
		toError: ({ code, message, httpStatus }) => new GceError(code, message, httpStatus),
	});
}
