import { z } from "zod";
import { DriverError, type DriverErrorKind } from "../driver-errors.ts";

const statusSchema = z.looseObject({ message: z.string().nullish(), reason: z.string().nullish(), code: z.number().nullish() });

/** The API server's wording of errors that the driver detects by name. */
export const ALREADY_EXISTS = "AlreadyExists";
const EXPIRED = ["Expired", "Gone"];

/** Whether a list's continuation or a watch's start is too old to resume from. */
export function isExpired(error: unknown): boolean {
	return error instanceof DriverError && (EXPIRED.includes(error.providerCode ?? "") || error.providerCode === "HTTP 410");
}

export function isCode(error: unknown, code: string): boolean {
	return error instanceof DriverError && error.providerCode === code;
}

/** Converts a status of the API server (HTTP ≥ 400, or an ERROR event of a watch) to a DriverError. */
export function statusError(what: string, status: number, body: unknown): DriverError {
	const parsed = statusSchema.safeParse(body);
	const said = parsed.success ? parsed.data : {};
	const message = said.message || (typeof body === "string" && body.trim().slice(0, 200)) || "no words";
	const kind = kindOf(status, message);
	const hint = kind === "unauthorized" ? hintOf(status) : "";
	return new DriverError(kind, `Kubernetes: ${what}: ${message}${hint}`, { providerCode: said.reason || `HTTP ${status}` });
}

function hintOf(status: number): string {
	return status === 401
		? " (the credentials have expired; renew the token or kubeconfig in the site's settings)"
		: " (grant it as shown in docs/providers/kubernetes.md)";
}

function kindOf(status: number, message: string): DriverErrorKind {
	if (status === 401) return "unauthorized";
	// 403 means three different things: quotas, missing rights, and a policy that rejects this job.
	if (status === 403) {
		if (/exceeded quota/i.test(message)) return "quota_exceeded";
		return /cannot \w+ resource/.test(message) || !/forbidden: |denied/i.test(message) ? "unauthorized" : "invalid_request";
	}
	if (status === 404) return "not_found";
	if (status === 410 || status === 408) return "transient";
	if (status === 429) return "throttled";
	return status >= 400 && status < 500 ? "invalid_request" : "transient";
}

/** There was no response, so it is unknown whether the request was executed. */
export function noAnswer(what: string, server: string, error: unknown): DriverError {
	const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
	const code = (cause as NodeJS.ErrnoException | null)?.code;
	const words = cause instanceof Error ? cause.message || cause.name : String(cause);
	return new DriverError("transient", `Kubernetes: ${what}: the API server at ${server} does not answer: ${words}`, {
		cause: error,
		...(typeof code === "string" ? { providerCode: code } : {}),
	});
}

/** An unreadable response says nothing about whether the call was executed. */
export function notUnderstood(what: string, why: string): DriverError {
	return new DriverError("transient", `Kubernetes: ${what}: could not parse the response (${why})`, { providerCode: "UnexpectedAnswer" });
}
