import type { Db } from "#server/db/client.ts";
import type { TokenScope } from "#server/domain/token-scopes.ts";
import type { TraceStart } from "#server/domain/trace.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import type { Clock } from "#server/kernel/clock.ts";

/** Who asks. `system` is the scheduler's own authority and passes every check. */
export type Actor =
	| {
			kind: "person";
			accountId: string;
			name: string;
			role: Role;
			teams: readonly string[];
			via: "session" | "token" /** Of a limited token; absent: everything that the role allows. */;
			scopes?: readonly TokenScope[];
			/** Of a token with a spending limit: its jobs ask a person above this estimated cost, USD. */
			approvalAboveUsd?: number;
	  }
	| { kind: "system"; part: "control_loop" | "agent" | "seed" };

/** Common dependencies of every service. */
export interface ServiceContext {
	actor: Actor;
	db: Db;
	clock: Clock;
	requestId: string | null;
	/** The address that a person's request came from; nothing for the system. */
	source?: string | null;
	/** The trace that jobs submitted by this request belong to; nothing when it is not sampled. */
	trace?: TraceStart | null;
}

/** The form in which the audit and job rows name an actor. */
export function actorName(actor: Actor): string {
	return actor.kind === "person" ? `account:${actor.accountId}` : `system:${actor.part}`;
}

/** How a person came in; null for the system. */
export function viaOf(actor: Actor): "session" | "token" | null {
	return actor.kind === "person" ? actor.via : null;
}

/** The loop as the audit names it, for what is written in a transaction that is open already: it has no database. */
export const LOOP: Pick<ServiceContext, "actor" | "requestId"> = { actor: { kind: "system", part: "control_loop" }, requestId: null };

/** The system's own authority, for calls without a person. */
export function systemContext(db: Db, clock: Clock, part: "control_loop" | "agent" | "seed" = "control_loop"): ServiceContext {
	return { actor: { kind: "system", part }, db, clock, requestId: null };
}
