import { z } from "zod";
import { DriverError, type DriverErrorKind } from "../../driver-errors.ts";
import type { QueuedResource } from "./queued-resource.ts";

const refusalSchema = z.object({
	error: z.object({
		message: z.string().default(""),
		status: z.string().default(""),
		details: z.array(z.looseObject({ reason: z.string().optional() })).default([]),
	}),
});

/** google.rpc.Code by number, for the codes that the TPU API reports. */
const CODES: Readonly<Record<number, string>> = {
	3: "INVALID_ARGUMENT",
	4: "DEADLINE_EXCEEDED",
	7: "PERMISSION_DENIED",
	8: "RESOURCE_EXHAUSTED",
	9: "FAILED_PRECONDITION",
	10: "ABORTED",
	13: "INTERNAL",
	14: "UNAVAILABLE",
};

/** A rejected call of the TPU API. A 5xx leaves the outcome unknown. */
export function tpuRefusal(httpStatus: number, body: string, what: string): DriverError {
	const { status, message, details } = readRefusal(body) ?? { status: "", message: body.slice(0, 200), details: [] };
	const code = status || `HTTP ${httpStatus}`;
	const isRate = details.some(({ reason }) => reason === "RATE_LIMIT_EXCEEDED");
	const kind = isRate ? "throttled" : kindOf(status, message, httpStatus);
	return new DriverError(kind, `Google Cloud TPU: ${what}: ${code}: ${message}`, { providerCode: code });
}

/** Why a queued resource failed. Google created no machine. */
export function failureOf({ state: { failedData } }: QueuedResource, what: string): DriverError {
	const { code = 0, message = "Google reports no reason" } = failedData?.error ?? {};
	const status = CODES[code] ?? "FAILED";
	// A request that was in the queue and got no machines in time reports no quota and no field.
	const known = kindOf(status, message, 400);
	const kind = status === "INVALID_ARGUMENT" || known === "quota_exceeded" || known === "unauthorized" ? known : "insufficient_capacity";
	return new DriverError(kind, `Google Cloud TPU: ${what}: ${status}: ${message}`, { providerCode: status });
}

function kindOf(status: string, message: string, httpStatus: number): DriverErrorKind {
	// Messages of the TPU API; its codes do not distinguish stockouts from quotas.
	if (/no more capacity|insufficient (reserved )?capacity|insufficient resources/i.test(message)) return "insufficient_capacity";
	if (status === "RESOURCE_EXHAUSTED") return "quota_exceeded";
	if (httpStatus === 401 || httpStatus === 403 || status === "PERMISSION_DENIED" || status === "UNAUTHENTICATED") return "unauthorized";
	if (httpStatus === 404) return "not_found";
	if (httpStatus === 429) return "throttled";
	return httpStatus >= 500 || httpStatus === 408 ? "transient" : "invalid_request";
}

function readRefusal(body: string): z.output<typeof refusalSchema>["error"] | null {
	try {
		return refusalSchema.safeParse(JSON.parse(body)).data?.error ?? null;
	} catch {
		return null;
	}
}
