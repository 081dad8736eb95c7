import { randomUUID } from "node:crypto";
import { initTRPC, TRPCError } from "@trpc/server";
import superjson from "superjson";
import { SpillwayError } from "#server/kernel/errors.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { Actor } from "#server/services/core/context.ts";
import { ADDRESS_HEADER } from "#server/services/governance/audit/client-address.ts";
import { runtime } from "#server/services/runtime.ts";
import { type OperationContext, processContext } from "../operation-context.ts";
import { isLogged, type Problem, problemOf } from "../problem.ts";
import { permissionOf } from "./procedure-permissions.ts";

/** What a call knows about its caller. The session is read outside (server/auth), so that this does not depend on Next. */
export interface TrpcContext {
	actor: Actor | null;
	requestId: string;
	/** Origin of the request. */
	source: string | null;
}

export function trpcContext(actor: Actor | null, headers: Headers | null = null): TrpcContext {
	return { actor, requestId: randomUUID(), source: headers?.get(ADDRESS_HEADER) || null };
}

const t = initTRPC.context<TrpcContext>().create({
	transformer: superjson,
	errorFormatter: ({ shape, error, ctx }) => ({
		...shape,
		data: { ...shape.data, stack: undefined, problem: problemOf(error.cause ?? error, ctx?.requestId ?? "none") satisfies Problem },
	}),
	sse: {
		enabled: true,
		ping: { enabled: true, intervalMs: 5_000 },
		client: { reconnectAfterInactivityMs: 15_000 },
		maxDurationMs: 10 * 60_000,
	},
});

export const router = t.router;

const TRPC_CODES = {
	invalid_input: "BAD_REQUEST",
	unauthenticated: "UNAUTHORIZED",
	forbidden: "FORBIDDEN",
	not_found: "NOT_FOUND",
	method_not_allowed: "METHOD_NOT_SUPPORTED",
	conflict: "CONFLICT",
	precondition_failed: "PRECONDITION_FAILED",
	precondition_required: "PRECONDITION_REQUIRED",
	payload_too_large: "PAYLOAD_TOO_LARGE",
	misdirected: "BAD_REQUEST",
	too_many_requests: "TOO_MANY_REQUESTS",
	unavailable: "SERVICE_UNAVAILABLE",
	insufficient_storage: "SERVICE_UNAVAILABLE",
	internal: "INTERNAL_SERVER_ERROR",
} as const;

/** Every procedure requires a person with its permission, gets the service context, and has its errors mapped in one place. */
export const procedure = t.procedure.use(async ({ ctx, next, path }) => {
	if (!ctx.actor) throw new TRPCError({ code: "UNAUTHORIZED", message: "Sign in first." });
	authorizeProcedure(path, ctx.actor);
	const rt = runtime();
	const service: OperationContext = {
		actor: ctx.actor,
		db: rt.connection.db,
		clock: rt.clock,
		requestId: ctx.requestId,
		source: ctx.source,
		trace: rt.startTrace?.({}, rt.clock.nowMs()) ?? null,
		...processContext(rt),
	};
	const result = await next({ ctx: { ...ctx, actor: ctx.actor, service } });
	if (result.ok) return result;
	const cause = result.error.cause ?? result.error;
	const problem = problemOf(cause, ctx.requestId);
	if (problem.code === "internal" && result.error.code === "INTERNAL_SERVER_ERROR") {
		rt.logError(`the procedure ${path} failed`, cause, ctx.requestId);
		throw new TRPCError({ code: "INTERNAL_SERVER_ERROR", message: problem.detail, cause });
	}
	if (problem.code === "internal") throw result.error;
	if (isLogged(cause)) rt.logError(`the procedure ${path} failed`, cause, ctx.requestId);
	throw new TRPCError({ code: TRPC_CODES[problem.code], message: problem.detail, cause });
});

/** Runs before the input is parsed. A procedure without a listed permission is rejected. */
function authorizeProcedure(path: string, actor: Actor): void {
	const permission = permissionOf(path);
	if (permission === null) return;
	try {
		if (permission === undefined) throw new SpillwayError("forbidden", `The procedure ${path} has no permission listed.`);
		teamScope({ actor }, permission);
	} catch (cause) {
		throw new TRPCError({ code: "FORBIDDEN", message: problemOf(cause, "none").detail, cause });
	}
}
