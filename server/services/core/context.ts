import type { Db } from "#server/db/client.ts";
import type { CustomRole } from "#server/domain/custom-role.ts";
import type { TokenScope } from "#server/domain/token-scopes.ts";
import type { TraceStart } from "#server/domain/trace.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import type { Clock } from "#server/kernel/clock.ts";

/** The caller. `system` is the scheduler's own authority and passes every check. */
export type Actor = PersonActor | JobActor | { kind: "system"; part: "control_loop" | "agent" | "seed" };

/** A running job, by its own token: it logs runs, metrics and artifacts of itself. */
export interface JobActor {
	kind: "job";
	jobId: string;
	/** The job's team. */
	teams: readonly string[];
}

export interface PersonActor {
	kind: "person";
	accountId: string;
	name: string;
	/** The built-in role; for a custom role, the one that it restricts. */
	role: Role;
	/** Restricts `role`; absent for a built-in role. */
	customRole?: CustomRole;
	teams: readonly string[];
	via: "session" | "token";
	/** Permissions of a limited token; absent for everything the role allows. */
	scopes?: readonly TokenScope[];
	/** Limit of a token in USD: its jobs require approval above this estimated cost. */
	approvalAboveUsd?: number;
}

/** Common dependencies of every service. */
export interface ServiceContext {
	actor: Actor;
	db: Db;
	clock: Clock;
	requestId: string | null;
	/** The client address of a person's request; absent for the system. */
	source?: string | null;
	/** The trace of jobs submitted by this request; absent when it is not sampled. */
	trace?: TraceStart | null;
}

/** How audit and job rows identify an actor. */
export function actorName(actor: Actor): string {
	if (actor.kind === "job") return `job:${actor.jobId}`;
	return actor.kind === "person" ? `account:${actor.accountId}` : `system:${actor.part}`;
}

/** How a person signed in; null for the system. */
export function viaOf(actor: Actor): "session" | "token" | null {
	return actor.kind === "person" ? actor.via : null;
}

/** The control loop as the audit's author, for writes in an open transaction: it has no database. */
export const LOOP: Pick<ServiceContext, "actor" | "requestId"> = { actor: { kind: "system", part: "control_loop" }, requestId: null };

/** The system's own authority, for calls without a person. */
export function systemContext(db: Db, clock: Clock, part: "control_loop" | "agent" | "seed" = "control_loop"): ServiceContext {
	return { actor: { kind: "system", part }, db, clock, requestId: null };
}
