import { z } from "zod";
import { clockAdvice, clockSkew } from "../clock-skew.ts";
import { DriverError, type DriverErrorKind } from "../driver-errors.ts";

/**
 * Codes of operations and reasons of refused calls. Sources: Compute Engine, "Troubleshooting VM creation", "Resource
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
	INTERNAL_ERROR: "transient",
	backendError: "transient",
	internalError: "transient",
};

/** Refusals of a token, for which a wrong clock is one of several reasons. */
const MAY_BE_CLOCK = new Set(["authError", "required", "HTTP 401"]);
/** Google's token service about a key's assertion: "Check your iat and exp values in the JWT claim." */
const ASSERTION_TIME = /\biat and exp\b/;

/** The name under which google-gax keeps the answer's body on its errors. */
const PAYLOAD = Symbol.for("google-gax.rawHttpResponsePayload");

/** Compute Engine's form of a refusal. */
const refusalSchema = z.object({
	error: z.object({
		message: z.string().optional(),
		errors: z.array(z.object({ reason: z.string().optional(), message: z.string().optional() })).optional(),
	}),
});

/** The form of its token service's. */
const tokenRefusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/**
 * What the SDK throws, as the port's error. What is not known to be a clear no of Google's (its 4xx) is `transient`: the
 * connection broke, the time was over, or the service failed, and no one knows whether the request was carried out.
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

/** Google's library found no credentials that it can use, and asked no one. */
export function noCredentials(what: string, error: unknown): DriverError {
	const message = error instanceof Error ? error.message : String(error);
	const help = "set GOOGLE_APPLICATION_CREDENTIALS to a key file, or run where an account is attached";
	return new DriverError("unauthorized", `Google Cloud: ${what}: no usable credentials: ${message}; ${help}`, {
		providerCode: "NoCredentials",
		cause: error,
	});
}

/** Why an operation failed. It is over, so what it was to make was not made; INTERNAL_ERROR and the like may help themselves. */
export function operationError(
	failure: { errors: readonly { code: string; message: string }[]; httpStatus: number | null },
	what: string,
): DriverError {
	const { code, message } = failure.errors[0] ?? { code: "OperationFailed", message: "no words" };
	const kind = KIND_OF_CODE[code] ?? kindOfStatus(failure.httpStatus ?? 400);
	// That something the launch names is missing there is a matter of the site's settings.
	return new DriverError(kind === "not_found" ? "invalid_request" : kind, `Google Cloud: ${what}: ${code}: ${message}`, {
		providerCode: code,
	});
}

function kindOfStatus(status: number | null): DriverErrorKind {
	if (status === null || status < 400 || status >= 500) return "transient";
	if (status === 401 || status === 403) return "unauthorized";
	if (status === 404) return "not_found";
	// 408: the request came too slowly; no one says what became of it.
	if (status === 408) return "transient";
	return status === 429 ? "throttled" : "invalid_request";
}

interface ErrorFacts {
	code: string;
	message: string;
	status: number | null;
	skewMs: number | null;
}

/** The reason that Google gives, else the HTTP status, else the name of what was thrown. */
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
		// The library keeps the answer on the error that it made its own of.
		skewMs: error.cause instanceof Error ? clockSkew(Reflect.get(error.cause, "response")) : null,
	};
}

/** Of Compute Engine, or of the service that gives tokens for it. */
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
