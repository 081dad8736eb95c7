import { clockAdvice, clockSkew } from "../clock-skew.ts";
import { DriverError, type DriverErrorKind } from "../driver-errors.ts";

/** Source of the codes: Amazon EC2 API Reference, "Error codes for the Amazon EC2 API". */
const KIND_OF_CODE: Record<string, DriverErrorKind> = {
	InsufficientInstanceCapacity: "insufficient_capacity",
	InsufficientHostCapacity: "insufficient_capacity",
	InsufficientReservedInstanceCapacity: "insufficient_capacity",
	InsufficientCapacity: "insufficient_capacity",
	InsufficientFreeAddressesInSubnet: "insufficient_capacity",
	UnfulfillableCapacity: "insufficient_capacity",
	// The targeted reservation is full.
	ReservationCapacityExceeded: "insufficient_capacity",
	SpotMaxPriceTooLow: "insufficient_capacity",
	// The gang's placement group was just created, or deleted in between: the repeated launch creates it.
	"InvalidPlacementGroup.Unknown": "transient",
	// "The requested configuration is currently not supported": this type is not sold in that zone.
	Unsupported: "insufficient_capacity",

	MaxSpotInstanceCountExceeded: "quota_exceeded",
	MaxSpotFleetRequestCountExceeded: "quota_exceeded",
	VcpuLimitExceeded: "quota_exceeded",
	InstanceLimitExceeded: "quota_exceeded",

	RequestLimitExceeded: "throttled",
	Throttling: "throttled",
	ThrottlingException: "throttled",
	ThrottledException: "throttled",
	RequestThrottled: "throttled",
	RequestThrottledException: "throttled",
	TooManyRequestsException: "throttled",
	EC2ThrottledException: "throttled",
	BandwidthLimitExceeded: "throttled",

	UnauthorizedOperation: "unauthorized",
	AuthFailure: "unauthorized",
	AccessDenied: "unauthorized",
	AccessDeniedException: "unauthorized",
	Blocked: "unauthorized",
	CredentialsProviderError: "unauthorized",
	ExpiredToken: "unauthorized",
	ExpiredTokenException: "unauthorized",
	IncompleteSignature: "unauthorized",
	InvalidClientTokenId: "unauthorized",
	MissingAuthenticationToken: "unauthorized",
	OptInRequired: "unauthorized",
	PendingVerification: "unauthorized",
	RequestExpired: "unauthorized",
	SignatureDoesNotMatch: "unauthorized",
	UnrecognizedClientException: "unauthorized",

	RequestTimeTooSkewed: "wrong_clock",
	RequestInTheFuture: "wrong_clock",

	// A stop or start while the machine still changes to another state.
	IncorrectInstanceState: "transient",

	IdempotentParameterMismatch: "token_mismatch",

	"InvalidInstanceID.NotFound": "not_found",
	"InvalidInstanceID.Malformed": "not_found",
	// A known token of a machine that has ended; `launch` looks it up.
	IdempotentInstanceTerminated: "not_found",
};

/** Rejected signatures. A wrong clock is one of several possible reasons. */
const MAY_BE_CLOCK = new Set(["AuthFailure", "InvalidSignatureException", "RequestExpired", "SignatureDoesNotMatch"]);
/** AWS's message for a signature with a rejected date. */
const SIGNATURE_DATE = /Signature (expired|not yet current)/;

/**
 * Converts an SDK error to a DriverError. Anything that is not a definite rejection by EC2 (its 4xx) is `transient`: the
 * connection broke, the call timed out, or the service failed, and it is unknown whether the request was executed.
 */
export function toDriverError(error: unknown, what: string): DriverError {
	if (error instanceof DriverError) return error;
	const { name, message, status, skewMs } = factsOf(error);
	// The SDK signs by the provider's clock once it knows the difference; any later rejection is reported.
	if (KIND_OF_CODE[name] === "wrong_clock" || (MAY_BE_CLOCK.has(name) && (skewMs !== null || SIGNATURE_DATE.test(message)))) {
		const text = `AWS: ${what}: ${name}: ${message}; ${clockAdvice(skewMs)}`;
		return new DriverError("wrong_clock", text, { providerCode: name, cause: error });
	}
	const kind = KIND_OF_CODE[name] ?? (status !== null && status >= 400 && status < 500 ? "invalid_request" : "transient");
	return new DriverError(kind, `AWS: ${what}: ${name}: ${message}`, { providerCode: name, cause: error });
}

interface ErrorFacts {
	name: string;
	message: string;
	status: number | null;
	skewMs: number | null;
}

/** The SDK names an exception by EC2's code, and attaches the HTTP status and the response. */
function factsOf(error: unknown): ErrorFacts {
	if (!(error instanceof Error)) return { name: "UnknownError", message: String(error), status: null, skewMs: null };
	const metadata: unknown = "$metadata" in error ? error.$metadata : null;
	const status: unknown =
		typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata ? metadata.httpStatusCode : null;
	const code = "code" in error && typeof error.code === "string" ? error.code : null;
	const name = error.name === "Error" && code !== null ? code : error.name;
	return {
		name,
		message: error.message || (code ?? "no words"),
		status: typeof status === "number" ? status : null,
		skewMs: clockSkew(Reflect.get(error, "$response")),
	};
}
