import { z } from "zod";
import { DriverError, type DriverErrorKind } from "../driver-errors.ts";

/**
 * Slurm's error numbers; source: slurm/slurm_errno.h of 22.05; newer versions only add to it. A number that is not listed here is
 * a definite rejection if it is in the range of slurmctld's errors, and an unknown outcome otherwise.
 */
const KIND_OF_CODE: Record<number, DriverErrorKind> = {
	1007: "unauthorized", // SLURM_PROTOCOL_AUTHENTICATION_ERROR
	2002: "unauthorized", // ESLURM_ACCESS_DENIED
	2010: "unauthorized", // ESLURM_USER_ID_MISSING
	2017: "not_found", // ESLURM_INVALID_JOB_ID
	2019: "transient", // ESLURM_WRITING_TO_FILE
	2020: "transient", // ESLURM_TRANSITION_STATE_NO_UPDATE
	2027: "transient", // ESLURM_IN_STANDBY_MODE
	2050: "quota_exceeded", // ESLURM_ACCOUNTING_POLICY
	2051: "quota_exceeded", // ESLURM_INVALID_TIME_LIMIT: longer than its partition, account or QOS allows, where that is enforced
	2068: "insufficient_capacity", // ESLURM_NODE_NOT_AVAIL
	2070: "insufficient_capacity", // ESLURM_PARTITION_NOT_AVAIL
	2074: "quota_exceeded", // ESLURM_QOS_THRES
	2090: "transient", // ESLURM_INTERNAL
	2101: "insufficient_capacity", // ESLURM_PARTITION_DOWN
	2105: "throttled", // ESLURM_SUBMISSIONS_DISABLED
	2131: "transient", // ESLURM_IN_STANDBY_USE_BACKUP
	9001: "invalid_request", // ESLURM_REST_FAIL_PARSING
};

const refusalSchema = z
	.looseObject({
		error: z.string().nullish(),
		description: z.string().nullish(),
		// One number with three names, by version and call.
		error_number: z.number().nullish(),
		error_code: z.number().nullish(),
		errno: z.number().nullish(),
	})
	.transform((r) => ({
		code: r.error_number ?? r.error_code ?? r.errno ?? null,
		text: [r.description, r.error].filter((t) => t).join(": "),
	}));
export const refusalsSchema = z.looseObject({
	errors: z
		.array(refusalSchema)
		.nullish()
		.transform((e) => e ?? []),
});
export type Refusal = z.output<typeof refusalSchema>;

/** 22.05 returns it both if slurmctld does not respond and if it rejects the token. */
const UNSPECIFIED = -1;
/** The status of 24.11 and 26.05 for a token with an unknown signature, without a message. */
export const NOT_BELIEVED = 511;

/** Converts an error response of slurmrestd to a DriverError. */
export function answerError(what: string, status: number, refusals: readonly Refusal[], body: string): DriverError {
	// The last error is only a summary: "Failure during parsing" after the unknown key.
	const codes = refusals.map((r) => r.code).filter((code) => code !== null);
	const code = codes.findLast((c) => c in KIND_OF_CODE) ?? codes.at(-1) ?? null;
	const words = refusals.map((r) => r.text).filter((t) => t !== "");
	const plain = body.trim();
	const said = words.length > 0 ? words.join("; ") : plain.startsWith("{") ? `HTTP ${status}` : plain.slice(0, 200) || "no words";
	return new DriverError(kindOf(status, code), `Slurm: ${what}: ${said}${hintOf(status, code)}`, {
		providerCode: code === null ? `HTTP ${status}` : String(code),
	});
}

function hintOf(status: number, code: number | null): string {
	if (status === NOT_BELIEVED) return " (the token has expired)";
	return code === UNSPECIFIED ? " (slurmctld does not answer, or the token has expired)" : "";
}

function kindOf(status: number, code: number | null): DriverErrorKind {
	if (status === 401 || status === 403 || status === NOT_BELIEVED) return "unauthorized";
	const known = code === null ? undefined : KIND_OF_CODE[code];
	if (known) return known;
	if (code !== null && code >= 2_000 && code < 3_000) return "invalid_request";
	if (status === 429) return "throttled";
	return status >= 400 && status < 500 ? "invalid_request" : "transient";
}

/** There was no response, so it is unknown whether the request was executed. */
export function noAnswer(what: string, url: string, error: unknown): DriverError {
	const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
	const code = (cause as NodeJS.ErrnoException | null)?.code;
	const words = cause instanceof Error ? cause.message || cause.name : String(cause);
	return new DriverError("transient", `Slurm: ${what}: slurmrestd at ${url} does not answer: ${words}`, {
		cause: error,
		...(code === undefined ? {} : { providerCode: code }),
	});
}

/** An unreadable response says nothing about whether the call was executed. */
export function notUnderstood(what: string, why: string): DriverError {
	return new DriverError("transient", `Slurm: ${what}: could not parse the response (${why})`, { providerCode: "UnexpectedAnswer" });
}
