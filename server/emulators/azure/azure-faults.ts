import { FaultControl } from "../shared/faults.ts";
import { ArmError } from "./arm-error.ts";

const LAUNCH_ERRORS = new Set([
	"AllocationFailed",
	"AzureSpotIsNotSupportedForThisVMSize",
	"OperationNotAllowed",
	"OverconstrainedAllocationRequest",
	"OverconstrainedZonalAllocationRequest",
	"QuotaExceeded",
	"SkuNotAvailable",
	"SpotPriceGreaterThanProvidedMaxPrice",
	"ZonalAllocationFailed",
]);

/** The fault script for Azure: actions are the SDK's operations, and error codes are Azure Resource Manager's. */
export function azureFaults(): FaultControl {
	return new FaultControl({
		launchActions: new Set(["virtualMachines.createOrUpdate", "virtualMachines.start"]),
		launchErrors: LAUNCH_ERRORS,
		identityFaults: new Set(["absent", "malformed", "expired", "other_machine"]),
		toError: ({ code, message, httpStatus }) => new ArmError(code, message, httpStatus),
	});
}
