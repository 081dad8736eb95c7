/**
 * The closed list of provider errors. Each has its own behavior in the control loop:
 * - insufficient_capacity: not created; back off this offer with half-life, decide again
 * - quota_exceeded: not created; back off the offers that share the quota
 * - throttled: unknown or not created; same call again later with the same token
 * - unauthorized: not created; the site is unhealthy until credentials change; notify the platform engineers
 * - wrong_clock: not created; our clock and the provider's are too far apart for its signatures or tokens; the site is
 *  unhealthy until they agree; the message contains the difference and the fix
 * - invalid_request: not created; a bug or wrong site settings; the attempt fails with the provider's words
 * - token_mismatch: an instance with this token exists with other parameters; find it and end it
 * - not_found: what was asked for does not exist there
 * - transient: the outcome is UNKNOWN (time-out, lost answer, 5xx); same call again with the same token
 */
export const DRIVER_ERROR_KINDS = [
	"insufficient_capacity",
	"quota_exceeded",
	"throttled",
	"unauthorized",
	"wrong_clock",
	"invalid_request",
	"token_mismatch",
	"not_found",
	"transient",
] as const;
export type DriverErrorKind = (typeof DRIVER_ERROR_KINDS)[number];

export class DriverError extends Error {
	override name = "DriverError";
	readonly kind: DriverErrorKind;
	/** The provider's own code, e.g. `InsufficientInstanceCapacity`. */
	readonly providerCode: string | null;
	constructor(kind: DriverErrorKind, message: string, options: { providerCode?: string; cause?: unknown } = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.kind = kind;
		this.providerCode = options.providerCode ?? null;
	}
}

/** Whether the provider definitely created nothing, so no cost is possible. */
export function createdNothing(kind: DriverErrorKind): boolean {
	return kind === "insufficient_capacity" || kind === "quota_exceeded" || isTurnedAway(kind) || kind === "invalid_request";
}

/**
 * Whether the provider denied access and therefore processed nothing of the request: not even whether an earlier call with the
 * same token created something.
 */
export function isTurnedAway(kind: DriverErrorKind): boolean {
	return kind === "unauthorized" || kind === "wrong_clock";
}
