import { clockAdvice, clockSkew } from "../clock-skew.ts";
import { DriverError, type DriverErrorKind } from "../driver-errors.ts";

/**
 * Sources: Microsoft Learn, "Troubleshoot common Azure deployment errors", "Error messages for Azure Spot Virtual
 * Machines and scale sets", "Troubleshoot allocation failures", "Resolve errors for resource quotas", "Throttling
 * Resource Manager requests"; the names of @azure/identity's errors.
 */
const KIND_OF_CODE: Record<string, DriverErrorKind> = {
	AllocationFailed: "insufficient_capacity",
	AzureSpotIsNotSupportedForThisVMSize: "insufficient_capacity",
	OverconstrainedAllocationRequest: "insufficient_capacity",
	OverconstrainedZonalAllocationRequest: "insufficient_capacity",
	SkuNotAvailable: "insufficient_capacity",
	SpotPriceGreaterThanProvidedMaxPrice: "insufficient_capacity",
	SubnetIsFull: "insufficient_capacity",
	ZonalAllocationFailed: "insufficient_capacity",
	ZoneNotSupported: "insufficient_capacity",

	QuotaExceeded: "quota_exceeded",
	ResourceQuotaExceeded: "quota_exceeded",

	OperationNotAllowedByThrottling: "throttled",
	SubscriptionRequestsThrottled: "throttled",
	TooManyRequests: "throttled",

	AuthenticationError: "unauthorized",
	AuthenticationFailed: "unauthorized",
	AuthenticationRequiredError: "unauthorized",
	AuthorizationFailed: "unauthorized",
	CredentialUnavailableError: "unauthorized",
	AggregateAuthenticationError: "unauthorized",
	DisallowedByPolicy: "unauthorized",
	ExpiredAuthenticationToken: "unauthorized",
	InvalidAuthenticationToken: "unauthorized",
	InvalidAuthenticationTokenTenant: "unauthorized",
	LinkedAuthorizationFailed: "unauthorized",
	ReadOnlyDisabledSubscription: "unauthorized",
	RequestDisallowedByPolicy: "unauthorized",
	SubscriptionNotFound: "unauthorized",

	ResourceNotFound: "not_found",

	// Another operation on the machine is in progress.
	Conflict: "transient",
};

/** Rejected tokens. A wrong clock is one of several possible reasons. */
const MAY_BE_CLOCK = new Set(["AuthenticationFailed", "ExpiredAuthenticationToken", "InvalidAuthenticationToken"]);
/**
 * Entra ID: an assertion signed with an unacceptable time. Source: Microsoft Learn, "Microsoft Entra authentication and
 * authorization error codes".
 */
const ASSERTION_TIME = /AADSTS(700024|500133)\b/;

/** Error names of the network and the client that mean an unknown outcome, never a definite rejection. */
const UNKNOWN_OUTCOME = new Set(["AbortError", "REQUEST_SEND_ERROR", "PARSE_ERROR", "RequestTimeout"]);

/**
 * Converts an SDK error to a DriverError. Anything that is not a definite rejection by Azure (its 4xx) is `transient`: the
 * connection broke, the call timed out, or the service failed, and it is unknown whether the request was executed.
 */
export function toDriverError(error: unknown, what: string): DriverError {
	if (error instanceof DriverError) return error;
	const facts = factsOf(error);
	const message = `Azure: ${what}: ${facts.code}: ${facts.message}`;
	if ((MAY_BE_CLOCK.has(facts.code) && facts.skewMs !== null) || ASSERTION_TIME.test(facts.message)) {
		const text = `${message}; ${clockAdvice(facts.skewMs)}`;
		return new DriverError("wrong_clock", text, { providerCode: facts.code, cause: error });
	}
	return new DriverError(kindOf(facts), message, { providerCode: facts.code, cause: error });
}

/** The kind of an error that Azure found only after it had accepted the request, and recorded on the machine. */
export function failureOf(code: string, message: string, what: string): DriverError {
	const kind = kindOf({ code, message, status: 409 });
	return new DriverError(kind, `Azure: ${what}: ${code}: ${message}`, { providerCode: code });
}

interface ErrorFacts {
	code: string;
	message: string;
	status: number | null;
	skewMs: number | null;
}

function kindOf({ code, message, status }: Omit<ErrorFacts, "skewMs">): DriverErrorKind {
	if (status === 429) return "throttled";
	// Azure uses one code for many errors; only the message identifies a quota.
	if (code === "OperationNotAllowed" && /quota/i.test(message)) return "quota_exceeded";
	// A token request without a response says nothing about the credentials.
	if (code === "AuthenticationError" && status !== null && status >= 500) return "transient";
	const known = KIND_OF_CODE[code];
	if (known !== undefined) return known;
	if (UNKNOWN_OUTCOME.has(code) || status === null || status >= 500 || status === 408) return "transient";
	if (status === 401 || status === 403) return "unauthorized";
	return status >= 400 ? "invalid_request" : "transient";
}

/** Azure's code is in `code`, and so is Node's for a broken connection; the SDK's own errors have only a name. */
function factsOf(error: unknown): ErrorFacts {
	if (!(error instanceof Error)) return { code: "UnknownError", message: String(error), status: null, skewMs: null };
	const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
	const status = "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : null;
	return { code, message: error.message || "no words", status, skewMs: clockSkew(Reflect.get(error, "response")) };
}
