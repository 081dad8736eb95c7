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

/** The agent's current orders. The end of its machine ends its command too, even when the attempt was not asked to stop. */
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
