import { z } from "zod";
import { isDatabaseAway, isDiskFull, isOvertaken, isUnstorable } from "#server/kernel/database-failures.ts";
import type { ErrorCode, FieldProblem } from "#server/kernel/errors.ts";
import { isSpillwayError, SpillwayError } from "#server/kernel/errors.ts";

/** RFC 9457. `fields` lists each invalid field, `fix` says what to do. */
export interface Problem {
	type: string;
	title: string;
	status: number;
	detail: string;
	code: ErrorCode | "internal";
	fix?: string;
	fields?: readonly FieldProblem[];
	requestId: string;
}

export const STATUS: Record<ErrorCode, number> = {
	invalid_input: 400,
	unauthenticated: 401,
	forbidden: 403,
	not_found: 404,
	method_not_allowed: 405,
	conflict: 409,
	precondition_failed: 412,
	precondition_required: 428,
	payload_too_large: 413,
	misdirected: 421,
	too_many_requests: 429,
	unavailable: 503,
	insufficient_storage: 507,
};

export const TITLES: Record<ErrorCode, string> = {
	invalid_input: "The request is not valid",
	unauthenticated: "Sign in or send a token",
	forbidden: "Not allowed",
	not_found: "Not found",
	method_not_allowed: "Method not allowed",
	conflict: "Conflict with the current state",
	precondition_failed: "Changed in the meantime",
	precondition_required: "Version required",
	payload_too_large: "Too large",
	misdirected: "Unknown host",
	too_many_requests: "Too many requests",
	unavailable: "Temporarily unavailable",
	insufficient_storage: "The disk is full",
};

/** The single mapping of errors for tRPC and REST. Unexpected errors are reported without internals. */
export function problemOf(error: unknown, requestId: string): Problem {
	const known = toSpillwayError(error);
	if (!known) {
		return {
			type: "about:blank",
			title: "Internal error",
			status: 500,
			detail: `The request failed because of an internal error. Its id is ${requestId}.`,
			code: "internal",
			fix: "Try again. If it fails again, give this id to a platform engineer; it is in the web server's log.",
			requestId,
		};
	}
	return {
		type: "about:blank",
		title: TITLES[known.code],
		status: STATUS[known.code],
		detail: known.message,
		code: known.code,
		...(known.fix === undefined ? {} : { fix: known.fix }),
		...(known.fields.length === 0 ? {} : { fields: known.fields }),
		requestId,
	};
}

/**
 * Whether the server logs an error: unexpected ones, and requests that the database rolled back because of another
 * one. Callers can retry the latter, but a service that causes them often checks or locks too late.
 */
export function isLogged(error: unknown): boolean {
	return toSpillwayError(error) === null || isOvertaken(error);
}

/** Sent with 503 and 507. A crashed database is back within seconds. */
export const RETRY_AFTER_SECONDS = 5;

/** Maximum number of invalid fields listed; a body can have a million. */
const FIELDS_MAX = 100;

/** A zod error of an input is the caller's; everything else that is not ours stays unknown. */
export function toSpillwayError(error: unknown): SpillwayError | null {
	if (isSpillwayError(error)) return error;
	if (isDiskFull(error))
		return new SpillwayError("insufficient_storage", "The disk of the database or of Spillway's folder is full. Nothing was changed.", {
			fix: "Ask a platform engineer to free some space. Spillway then continues automatically.",
			cause: error,
		});
	if (isDatabaseAway(error))
		return new SpillwayError("unavailable", "The database does not answer. Nothing was changed.", {
			fix: `Try again in ${RETRY_AFTER_SECONDS} seconds.`,
			cause: error,
		});
	if (isUnstorable(error))
		return new SpillwayError("invalid_input", "A value of the request cannot be stored: a number or time out of range, or a NUL.", {
			fix: "Send values in their usual range. Nothing was changed.",
			cause: error,
		});
	if (isOvertaken(error))
		return new SpillwayError("conflict", "Another request changed the same data at this moment. Nothing was changed.", {
			fix: "Reload, then try again.",
			cause: error,
		});
	if (error instanceof z.ZodError) {
		const fields = error.issues.slice(0, FIELDS_MAX).map((i) => ({
			path: i.path.map(String).join("."),
			message: i.code === "unrecognized_keys" ? `there is no field ${i.keys.slice(0, 10).join(", ").slice(0, 500)}` : i.message,
		}));
		const first = fields[0];
		return new SpillwayError("invalid_input", `${first?.path || "The request"}: ${first?.message ?? "not valid"}`, {
			fields,
			cause: error,
		});
	}
	return null;
}
