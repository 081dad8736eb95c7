import { randomUUID } from "node:crypto";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { Actor, ServiceContext } from "#server/services/core/context.ts";
import { runtime } from "#server/services/runtime.ts";
import { isLogged, problemOf } from "./problem.ts";
import { problemHeaders } from "./problem-headers.ts";

/** Handles a download from a page for the signed-in person, with the same errors as REST. */
export async function handleSession(actor: Actor | null, answer: (ctx: ServiceContext) => Promise<Response>): Promise<Response> {
	const requestId = randomUUID();
	const rt = runtime();
	try {
		if (!actor) throw new SpillwayError("unauthenticated", "Sign in first.");
		return await answer({ actor, db: rt.connection.db, clock: rt.clock, requestId });
	} catch (error) {
		const problem = problemOf(error, requestId);
		if (isLogged(error)) rt.logError("a download failed", error, requestId);
		return new Response(JSON.stringify(problem), {
			status: problem.status,
			headers: problemHeaders(problem, error),
		});
	}
}
