import type { Reason } from "#server/domain/reasons.ts";
import { type AgentIdentity, isAttemptOver } from "./authenticate.ts";
import type { AgentTiming } from "./context.ts";

export interface AgentOrders {
	stop: { reason: string; graceMs: number } | null;
	over: boolean;
	expiresAtMs: number;
	nowMs: number;
}

type Ordered = Pick<AgentIdentity, "attemptState" | "instanceState" | "instanceReason" | "stopReason" | "expiresAtMs" | "isFenced">;

/** What an agent shall do now. Its machine's end ends its command too, even when no one said so to the attempt. */
export function ordersFor(agent: Ordered, timing: AgentTiming, nowMs: number): AgentOrders {
	const over = isAttemptOver(agent) || agent.isFenced;
	const ending = agent.instanceState === "terminating" || agent.instanceState === "terminated";
	const why: Reason["code"] | null =
		agent.stopReason?.code ?? (over ? "job_finished" : ending ? (agent.instanceReason?.code ?? "instance_expired") : null);
	const stop = agent.attemptState === "stopping" || over || ending;
	return {
		stop: stop ? { reason: why ?? "job_finished", graceMs: over ? 0 : timing.stopGraceMs } : null,
		over,
		expiresAtMs: agent.expiresAtMs,
		nowMs,
	};
}
