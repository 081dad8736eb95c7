/**
 * HTTP status and default message of the reasons and operation codes that the emulator sends. Source: Compute Engine,
 * "Troubleshooting API requests" and "Troubleshooting VM creation".
 */
const KNOWN: Record<string, readonly [status: number, message: string]> = {
	authError: [401, "Request had invalid authentication credentials. Expected OAuth 2 access token."],
	required: [401, "Login Required."],
	forbidden: [403, "Required 'compute.instances.create' permission for the project."],
	rateLimitExceeded: [403, "Rate Limit Exceeded"],
	quotaExceeded: [403, "Quota exceeded."],
	notFound: [404, "The resource was not found."],
	resourceInUseByAnotherResource: [400, "The resource is already being used by another resource."],
	alreadyExists: [409, "The resource already exists."],
	badRequest: [400, "Bad request."],
	resourceNotReady: [400, "The resource is not ready."],
	invalid: [400, "Invalid value."],
	backendError: [503, "Internal error. Please try again."],
	internalError: [500, "Internal error."],
	QUOTA_EXCEEDED: [403, "Quota 'NVIDIA_L4_GPUS' exceeded. Limit: 0.0 in region."],
	ZONE_RESOURCE_POOL_EXHAUSTED: [
		503,
		"The zone does not have enough resources available to fulfill the request. Try a different zone, or try again later.",
	],
	ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS: [
		503,
		"The zone does not have enough resources available to fulfill the request, '(resource type:compute)'.",
	],
	RESOURCE_OPERATION_RATE_EXCEEDED: [429, "The rate of operations on the resource is exceeded."],
	INTERNAL_ERROR: [500, "Internal error. Please try again or contact Google Support."],
};

/** An error response in Compute Engine's format. `reason` is Google's own; inside an operation it is the error's code. */
export class GceError extends Error {
	override name = "GceError";
	readonly reason: string;
	readonly httpStatus: number;
	constructor(reason: string, message?: string, httpStatus?: number) {
		const known = KNOWN[reason];
		super(message ?? known?.[1] ?? reason);
		this.reason = reason;
		this.httpStatus = httpStatus ?? known?.[0] ?? 400;
	}
}

export function invalidField(field: string, value: unknown, expected: string): GceError {
	return new GceError("invalid", `Invalid value for field '${field}': '${String(value)}'. ${expected}`);
}

export function notFound(resource: string): GceError {
	return new GceError("notFound", `The resource '${resource}' was not found`);
}

/**
 * A feature that Google supports but this emulator does not. It is rejected, because ignoring it would give a wrong result
 * silently.
 */
export function notEmulated(what: string): GceError {
	return new GceError("invalid", `The emulated Compute Engine endpoint does not implement ${what}.`, 501);
}
