/**
 * HTTP status and default sentence of the error codes that the emulator sends.
 * Source: Amazon EC2 API reference, "Error codes for the Amazon EC2 API"; the statuses are those the service
 * answers with (capacity errors are server errors there, which is why SDKs retry them).
 */
const KNOWN: Record<string, readonly [status: number, message: string]> = {
	AuthFailure: [401, "AWS was not able to validate the provided access credentials"],
	DryRunOperation: [412, "Request would have succeeded, but DryRun flag is set."],
	IdempotentParameterMismatch: [400, "Arguments on this idempotent request are inconsistent with arguments used in previous request(s)."],
	InstanceLimitExceeded: [400, "Your quota allows for 0 more running instance(s)."],
	InsufficientInstanceCapacity: [
		500,
		"We currently do not have sufficient capacity for the instance type and Availability Zone you requested.",
	],
	InternalError: [500, "An internal error has occurred"],
	InvalidAction: [400, "The action is not valid for this web service."],
	MaxSpotInstanceCountExceeded: [400, "Max spot instance count exceeded"],
	RequestLimitExceeded: [503, "Request limit exceeded."],
	SpotMaxPriceTooLow: [400, "Your Spot request price is lower than the minimum required Spot request fulfillment price."],
	Unavailable: [503, "The service is unavailable. Please try again shortly."],
	UnauthorizedOperation: [403, "You are not authorized to perform this operation."],
	Unsupported: [400, "The requested configuration is currently not supported."],
	VcpuLimitExceeded: [
		400,
		"You have requested more vCPU capacity than your current vCPU limit of 0 allows for the instance bucket that the specified instance type belongs to.",
	],
};

/** An error response in EC2's format. `code` is EC2's own; SDKs show it as the exception's name. */
export class Ec2Error extends Error {
	override name = "Ec2Error";
	readonly code: string;
	readonly httpStatus: number;
	constructor(code: string, message?: string, httpStatus?: number) {
		const known = KNOWN[code];
		super(message ?? known?.[1] ?? code);
		this.code = code;
		this.httpStatus = httpStatus ?? known?.[0] ?? 400;
	}
}

export function invalidValue(parameter: string, value: string, expected: string): Ec2Error {
	return new Ec2Error("InvalidParameterValue", `Value (${value}) for parameter ${parameter} is invalid. ${expected}`);
}

export function missingParameter(parameter: string): Ec2Error {
	return new Ec2Error("MissingParameter", `The request must contain the parameter ${parameter}`);
}

/**
 * A feature that Amazon supports but this emulator does not. It is rejected, because ignoring it would give a wrong result
 * silently.
 */
export function notEmulated(what: string): Ec2Error {
	return new Ec2Error("UnsupportedOperation", `The emulated EC2 endpoint does not implement ${what}.`);
}
