/** The closed list of request failures that a caller can act on. */
export type ErrorCode =
	| "invalid_input"
	| "unauthenticated"
	| "forbidden"
	| "not_found"
	| "method_not_allowed"
	| "conflict"
	| "precondition_failed"
	| "precondition_required"
	| "payload_too_large"
	/** The request names a host that is not this server. */
	| "misdirected"
	| "too_many_requests"
	| "unavailable"
	/** The disk is full, or nearly so. */
	| "insufficient_storage";

/** One invalid field: where, the given value, and what is allowed. */
export interface FieldProblem {
	/** Dotted path, e.g. `spec.resources.gpus`. Empty for the whole document. */
	path: string;
	message: string;
	/** Line and column (1-based) when the input was a text. */
	line?: number;
	column?: number;
}

/** Marks a SpillwayError. Next bundles this file too, so a process has several copies of the class. */
const BRAND = Symbol.for("spillway.error");

/**
 * An expected failure. `message` says what happened and why; `fix` what to do.
 * The API maps it to a problem document, the command line to one line and an exit code.
 */
export class SpillwayError extends Error {
	override name = "SpillwayError";
	readonly [BRAND] = true;
	readonly code: ErrorCode;
	readonly fix: string | undefined;
	readonly fields: readonly FieldProblem[];
	constructor(code: ErrorCode, message: string, options: { fix?: string; fields?: readonly FieldProblem[]; cause?: unknown } = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.code = code;
		this.fix = options.fix;
		this.fields = options.fields ?? [];
	}
}

/** Also true for an error of another copy of the class, such as one from a worker thread in a bundled page. */
export function isSpillwayError(error: unknown): error is SpillwayError {
	return error instanceof Error && BRAND in error;
}
