import { z } from "zod";
import { clockAdvice, clockSkew } from "../clock-skew.ts";
import { DriverError, type DriverErrorKind } from "../driver-errors.ts";

/**
 * Codes of operations and reasons of rejected calls. Sources: Compute Engine, "Troubleshooting VM creation", "Resource
 * availability errors" and "Troubleshooting API requests".
 */
const KIND_OF_CODE: Record<string, DriverErrorKind> = {
	ZONE_RESOURCE_POOL_EXHAUSTED: "insufficient_capacity",
	ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS: "insufficient_capacity",
	REGION_RESOURCE_POOL_EXHAUSTED: "insufficient_capacity",
	RESOURCE_POOL_EXHAUSTED: "insufficient_capacity",
	IP_SPACE_EXHAUSTED: "insufficient_capacity",
	STOCKOUT: "insufficient_capacity",
	// This machine type is not sold in that zone.
	UNSUPPORTED_OPERATION: "insufficient_capacity",

	QUOTA_EXCEEDED: "quota_exceeded",
	quotaExceeded: "quota_exceeded",
	LIMIT_EXCEEDED: "quota_exceeded",
	limitExceeded: "quota_exceeded",

	RATE_LIMIT_EXCEEDED: "throttled",
	RESOURCE_OPERATION_RATE_EXCEEDED: "throttled",
	CONCURRENT_OPERATIONS_QUOTA_EXCEEDED: "throttled",
	rateLimitExceeded: "throttled",
	userRateLimitExceeded: "throttled",
	resourceOperationRateExceeded: "throttled",
	concurrentLimitExceeded: "throttled",

	PERMISSIONS_ERROR: "unauthorized",
	authError: "unauthorized",
	required: "unauthorized",
	forbidden: "unauthorized",
	insufficientPermissions: "unauthorized",
	invalid_grant: "unauthorized",
	invalid_client: "unauthorized",
	accessNotConfigured: "unauthorized",

	notFound: "not_found",
	// Another operation on the machine is in progress.
	resourceNotReady: "transient",
	INTERNAL_ERROR: "transient",
	backendError: "transient",
	internalError: "transient",
};

/** Rejected tokens. A wrong clock is one of several possible reasons. */
const MAY_BE_CLOCK = new Set(["authError", "required", "HTTP 401"]);
/** Message of Google's token service about a key's assertion: "Check your iat and exp values in the JWT claim." */
const ASSERTION_TIME = /\biat and exp\b/;

/** The name under which google-gax stores the response body on its errors. */
const PAYLOAD = Symbol.for("google-gax.rawHttpResponsePayload");

/** Compute Engine's error format. */
const refusalSchema = z.object({
	error: z.object({
		message: z.string().optional(),
		errors: z.array(z.object({ reason: z.string().optional(), message: z.string().optional() })).optional(),
	}),
});

/** The token service's error format. */
const tokenRefusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/**
 * Converts an SDK error to a DriverError. Anything that is not a definite rejection by Google (its 4xx) is `transient`: the
 * connection broke, the call timed out, or the service failed, and it is unknown whether the request was executed.
 */
export function toDriverError(error: unknown, what: string): DriverError {
	if (error instanceof DriverError) return error;
	const { code, message, status, skewMs } = factsOf(error);
	if ((MAY_BE_CLOCK.has(code) && skewMs !== null) || ASSERTION_TIME.test(message)) {
		const text = `Google Cloud: ${what}: ${code}: ${message}; ${clockAdvice(skewMs)}`;
		return new DriverError("wrong_clock", text, { providerCode: code, cause: error });
	}
	const kind = KIND_OF_CODE[code] ?? kindOfStatus(status);
	return new DriverError(kind, `Google Cloud: ${what}: ${code}: ${message}`, { providerCode: code, cause: error });
}

/** Google's library found no usable credentials and sent no request. */
export function noCredentials(what: string, error: unknown): DriverError {
	const message = error instanceof Error ? error.message : String(error);
	const help = "set GOOGLE_APPLICATION_CREDENTIALS to a key file, or run where an account is attached";
	return new DriverError("unauthorized", `Google Cloud: ${what}: no usable credentials: ${message}; ${help}`, {
		providerCode: "NoCredentials",
		cause: error,
	});
}

/** Why an operation failed. It is complete, so nothing was created; INTERNAL_ERROR and similar codes may succeed on a retry. */
export function operationError(
	failure: { errors: readonly { code: string; message: string }[]; httpStatus: number | null },
	what: string,
): DriverError {
	const { code, message } = failure.errors[0] ?? { code: "OperationFailed", message: "no words" };
	const kind = KIND_OF_CODE[code] ?? kindOfStatus(failure.httpStatus ?? 400);
	// If something that the launch names is missing, the site's settings are wrong.
	return new DriverError(kind === "not_found" ? "invalid_request" : kind, `Google Cloud: ${what}: ${code}: ${message}`, {
		providerCode: code,
	});
}

function kindOfStatus(status: number | null): DriverErrorKind {
	if (status === null || status < 400 || status >= 500) return "transient";
	if (status === 401 || status === 403) return "unauthorized";
	if (status === 404) return "not_found";
	// 408: the request arrived too slowly, and its outcome is unknown.
	if (status === 408) return "transient";
	return status === 429 ? "throttled" : "invalid_request";
}

interface ErrorFacts {
	code: string;
	message: string;
	status: number | null;
	skewMs: number | null;
}

/** Google's reason, else the HTTP status, else the name of the error. */
function factsOf(error: unknown): ErrorFacts {
	if (!(error instanceof Error)) return { code: "UnknownError", message: String(error), status: null, skewMs: null };
	const httpStatus: unknown = Reflect.get(error, "httpStatusCode");
	const status = typeof httpStatus === "number" ? httpStatus : null;
	const refusal = readRefusal(Reflect.get(error, PAYLOAD));
	const fallback = status === null ? "NoAnswer" : `HTTP ${status}`;
	return {
		code: refusal?.code ?? fallback,
		message: refusal?.message ?? (error.message || "no words"),
		status,
		// The library attaches the response to the error that it converted.
		skewMs: error.cause instanceof Error ? clockSkew(Reflect.get(error.cause, "response")) : null,
	};
}

/** From Compute Engine, or from its token service. */
function readRefusal(payload: unknown): { code: string | undefined; message: string | undefined } | null {
	if (typeof payload !== "string" && (typeof payload !== "object" || payload === null)) return null;
	const body = typeof payload === "string" ? readJson(payload) : payload;
	const refusal = refusalSchema.safeParse(body);
	if (refusal.success) {
		const [first] = refusal.data.error.errors ?? [];
		return { code: first?.reason, message: first?.message ?? refusal.data.error.message };
	}
	const ofToken = tokenRefusalSchema.safeParse(body);
	return ofToken.success ? { code: ofToken.data.error, message: ofToken.data.error_description } : null;
}

function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
