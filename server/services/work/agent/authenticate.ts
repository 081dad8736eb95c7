import { and, eq, ne, sql } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { ATTEMPT_TRANSITIONS, type AttemptState, type InstanceState, isFinal } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { areStraysExpected } from "#server/services/capacity/instance/restored.ts";
import { sha256Of } from "./bootstrap.ts";
import type { AgentContext } from "./context.ts";

/** The caller: one instance and the attempt that it runs. */
export interface AgentIdentity {
	instanceId: string;
	instanceState: InstanceState;
	instanceReason: Reason | null;
	readyAtMs: number;
	expiresAtMs: number;
	attemptId: string;
	attemptState: AttemptState;
	/** Whether its part of the attempt counts as over, whatever it reports. */
	isFenced: boolean;
	stopReason: Reason | null;
	jobId: string;
	attemptNo: number;
	/** Rank of the machine in its attempt, and the number of machines. */
	rank: number;
	nodes: number;
}

/**
 * Finds the instance of this token.
 * @throws SpillwayError `unauthenticated` for a missing or wrong token, and for a terminated instance; `unavailable` instead
 * after a restore, when the machine may be newer than the database
 */
export async function authenticateAgent(
	{ db, clock }: Pick<AgentContext, "db" | "clock">,
	authorization: string | null,
): Promise<AgentIdentity> {
	const token = /^Bearer ([A-Za-z0-9_-]{16,128})$/.exec(authorization ?? "")?.[1];
	if (token === undefined)
		throw new SpillwayError("unauthenticated", "The request has no agent token.", {
			fix: "Enroll first, then send Authorization: Bearer <token>.",
		});
	const [row] = await db
		.select({
			instanceId: instance.id,
			instanceState: instance.state,
			instanceReason: instance.reason,
			readyAt: instance.readyAt,
			expiresAt: instance.expiresAt,
			attemptId: attempt.id,
			attemptState: attempt.state,
			fencedAt: instance.fencedAt,
			stopReason: attempt.stopReason,
			jobId: attempt.jobId,
			attemptNo: attempt.number,
			rank: instance.rank,
			nodes: sql<number>`(${job.spec}->>'nodes')::int`,
		})
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.innerJoin(job, eq(job.id, instance.jobId))
		.where(and(eq(instance.agentTokenHash, sha256Of(token)), ne(instance.state, "terminated")));
	if (!row?.readyAt) {
		// A machine powers itself off after the refusal below, but not after this one.
		if (await areStraysExpected(db, clock.nowMs()))
			throw new SpillwayError("unavailable", "This machine is not in the database, which may have been restored.", {
				fix: "Try again later.",
			});
		throw new SpillwayError("unauthenticated", "No running instance has this token.", {
			fix: "Power the machine off.",
		});
	}
	const { readyAt, expiresAt, fencedAt, ...rest } = row;
	return { ...rest, isFenced: fencedAt !== null, readyAtMs: readyAt.getTime(), expiresAtMs: expiresAt.getTime() };
}

export function isAttemptOver(agent: Pick<AgentIdentity, "attemptState">): boolean {
	return isFinal(ATTEMPT_TRANSITIONS, agent.attemptState);
}

/** @throws SpillwayError `conflict` when the attempt, or this machine's part of it, has ended: later reports must not change anything. */
export function requireLiveAttempt(agent: AgentIdentity): void {
	if (!isAttemptOver(agent) && !agent.isFenced) return;
	const what = agent.isFenced ? `Machine ${agent.instanceId} is fenced` : `Attempt ${agent.attemptId} is ${agent.attemptState} already`;
	throw new SpillwayError("conflict", `${what}.`, { fix: "Power the machine off." });
}

/** Clamps a machine's time to what is possible: not before it was ready, not in the future. */
export function believableMs(agent: Pick<AgentIdentity, "readyAtMs">, atMs: number, nowMs: number): number {
	return Math.max(agent.readyAtMs, Math.min(atMs, nowMs));
}
