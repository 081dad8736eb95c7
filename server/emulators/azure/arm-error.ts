/**
 * HTTP status and default message of the error codes that the emulator sends. Sources: Microsoft Learn, "Troubleshoot common
 * Azure deployment errors", "Error messages for Azure Spot Virtual Machines and scale sets", "Understand how Azure Resource
 * Manager throttles requests", "Resolve errors for SKU not available", "Resolve errors for resource quotas".
 */
const KNOWN: Record<string, readonly [status: number, message: string]> = {
	AllocationFailed: [
		409,
		"Allocation failed. We do not have sufficient capacity for the requested VM size in this region. Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance",
	],
	AuthorizationFailed: [
		403,
		"The client does not have authorization to perform action 'Microsoft.Compute/virtualMachines/write' over the scope or the scope is invalid.",
	],
	Conflict: [409, "The request failed due to conflict with a concurrent request."],
	ExpiredAuthenticationToken: [401, "The access token expiry UTC time is earlier than current UTC time."],
	InternalExecutionError: [500, "An internal execution error occurred. Please retry later."],
	InvalidAuthenticationToken: [401, "The access token is invalid."],
	OperationNotAllowed: [
		409,
		"Operation could not be completed as it results in exceeding approved Total Regional Cores quota. Current Limit: 0, Current Usage: 0, Additional Required: 4, (Minimum) New Limit Required: 4.",
	],
	OverconstrainedAllocationRequest: [409, "Allocation failed. VM(s) with the following constraints cannot be allocated."],
	PreconditionFailed: [412, "The condition 'If-None-Match: *' is not met: the resource exists."],
	QuotaExceeded: [
		409,
		"Operation results in exceeding quota limits of Core. Maximum allowed: 0, Current in use: 0, Additional requested: 4.",
	],
	ResourceGroupNotFound: [404, "Resource group could not be found."],
	SkuNotAvailable: [
		409,
		"The requested VM size is currently not available in this location. Please try another size or deploy to a different location or different zone.",
	],
	SpotPriceGreaterThanProvidedMaxPrice: [
		409,
		"Unable to perform the operation since the provided max price is lower than the current spot price.",
	],
	SubscriptionNotFound: [404, "The subscription could not be found."],
	TooManyRequests: [429, "The server rejected the request because too many requests have been received for this subscription."],
	ZonalAllocationFailed: [
		409,
		"Allocation failed. We do not have sufficient capacity for the requested VM size in this zone. Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance",
	],
};

/**
 * Azure accepts these requests and discovers only then that there is no capacity: the machine exists as failed, and its operation
 * ends with the error. Source: "Troubleshoot allocation failures when you create or restart VMs in Azure".
 */
const FOUND_LATER = new Set([
	"AllocationFailed",
	"ZonalAllocationFailed",
	"OverconstrainedAllocationRequest",
	"OverconstrainedZonalAllocationRequest",
]);

/** How long a throttled client must wait. */
const RETRY_AFTER_S = 1;

/** An error response in Azure Resource Manager's format. */
export class ArmError extends Error {
	override name = "ArmError";
	readonly code: string;
	readonly httpStatus: number;
	/** Seconds for the Retry-After header; null sends none. */
	readonly retryAfterS: number | null;
	constructor(code: string, message?: string, httpStatus?: number) {
		const known = KNOWN[code];
		super(message ?? known?.[1] ?? code);
		this.code = code;
		this.httpStatus = httpStatus ?? known?.[0] ?? 400;
		this.retryAfterS = this.httpStatus === 429 ? RETRY_AFTER_S : null;
	}

	/** Whether Azure reports it only after it has accepted the request. */
	get foundLater(): boolean {
		return FOUND_LATER.has(this.code);
	}
}

export function invalidParameter(parameter: string, why: string): ArmError {
	return new ArmError("InvalidParameter", `The value of parameter ${parameter} is invalid: ${why}`);
}

export function missingParameter(parameter: string): ArmError {
	return new ArmError("InvalidParameter", `Required parameter '${parameter}' is missing (null).`);
}

export function notEmulated(what: string): ArmError {
	return new ArmError("NotSupported", `${what} is Azure's, but this emulated endpoint does not do it.`);
}

export function resourceNotFound(resourceGroup: string, name: string): ArmError {
	return new ArmError(
		"ResourceNotFound",
		`The Resource 'Microsoft.Compute/virtualMachines/${name}' under resource group '${resourceGroup}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`,
		404,
	);
}
