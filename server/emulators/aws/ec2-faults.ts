import { FaultControl } from "../shared/faults.ts";
import { Ec2Error } from "./ec2-error.ts";

const LAUNCH_ERRORS = new Set([
	"InsufficientInstanceCapacity",
	"InsufficientHostCapacity",
	"InstanceLimitExceeded",
	"MaxSpotInstanceCountExceeded",
	"SpotMaxPriceTooLow",
	"Unsupported",
	"VcpuLimitExceeded",
]);

/** The fault script with Amazon's actions and error codes. */
export function ec2Faults(): FaultControl {
	return new FaultControl({
		launchActions: new Set(["RunInstances"]),
		launchErrors: LAUNCH_ERRORS,
		identityFaults: new Set(["absent", "malformed", "other_machine"]),
		toError: ({ code, message, httpStatus }) => new Ec2Error(code, message, httpStatus),
	});
}
