import { z } from "zod";
import { type ErrorCode, SpillwayError } from "#server/kernel/errors.ts";

const STATUS: Record<ErrorCode, number> = {
	invalid_input: 400,
	unauthenticated: 401,
	forbidden: 403,
	not_found: 404,
	conflict: 409,
	precondition_failed: 412,
	payload_too_large: 413,
	unavailable: 503,
};

/** Any error as an RFC 9457 problem document. What is not expected shows nothing of itself; the agent asks again. */
export function problemOf(error: unknown, log: (message: string, error: unknown) => void): Response {
	if (error instanceof SpillwayError)
		return problem(STATUS[error.code], error.code, error.message, { fix: error.fix, fields: error.fields });
	if (error instanceof z.ZodError) {
		const fields = error.issues.map((i) => ({ path: i.path.join("."), message: i.message }));
		const first = fields[0];
		return problem(400, "invalid_input", `The call is not valid. ${first?.path || "the body"}: ${first?.message ?? "unreadable"}`, {
			fields,
		});
	}
	log("an agent's call failed", error);
	return problem(500, "internal", "The control plane failed to answer; ask again.", {});
}

export function problem(
	status: number,
	code: string,
	detail: string,
	more: { fix?: string | undefined; fields?: readonly unknown[] },
): Response {
	const { fix, fields = [] } = more;
	const body = {
		type: "about:blank",
		title: code.replaceAll("_", " "),
		status,
		code,
		detail,
		...(fix ? { fix } : {}),
		...(fields.length > 0 ? { fields } : {}),
	};
	return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/problem+json" } });
}
