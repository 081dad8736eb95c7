import { eq } from "drizzle-orm";
import type { ExitedRequest, LogsAnswer, LogsRequest } from "#server/agent/protocol.ts";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { assertNever } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { markRunning } from "../attempt/advance.ts";
import { appendLogs, LOG_LINES_MAX } from "../attempt/append-logs.ts";
import { finishAttempt } from "../attempt/finish.ts";
import { requestStop } from "../attempt/request-stop.ts";
import { type AgentIdentity, believableMs, demandLiveAttempt, isAttemptOver } from "./authenticate.ts";
import { dropUnfinishedCheckpoints } from "./checkpoint.ts";
import type { AgentContext } from "./context.ts";
import { recordNotice } from "./heartbeat.ts";

/**
 * Stores log lines, each once: those that are stored already are skipped. The agent is the only writer of its attempt's
 * log, since both count the same lines.
 * @throws SpillwayError `conflict` when lines are missing before the first one, or the attempt is over.
 */
export async function storeAgentLogs(ctx: AgentContext, agent: AgentIdentity, input: LogsRequest): Promise<LogsAnswer> {
	demandLiveAttempt(agent);
	const stored = await ctx.db.transaction(async (tx) => {
		const [row] = await tx.select({ stored: attempt.logLines }).from(attempt).where(eq(attempt.id, agent.attemptId)).for("update");
		const before = row?.stored ?? 0;
		if (input.firstNumber > before + 1) {
			throw new SpillwayError("conflict", `Line ${input.firstNumber} came, but only ${before} lines are stored.`, {
				fix: `Send on from line ${before + 1}.`,
			});
		}
		return appendLogs(tx, { attemptId: agent.attemptId, firstNumber: input.firstNumber, lines: input.lines });
	});
	return { stored, full: stored >= LOG_LINES_MAX };
}

/** The command was started. */
export async function reportRunning(ctx: AgentContext, agent: AgentIdentity, input: { atMs: number }): Promise<void> {
	const atMs = believableMs(agent, input.atMs, ctx.clock.nowMs());
	await ctx.db.transaction((tx) => markRunning(tx, { attemptId: agent.attemptId, atMs }));
}

/** The command is over, and nothing of the attempt runs any more. Telling it again changes nothing. */
export async function reportExited(ctx: AgentContext, agent: AgentIdentity, input: ExitedRequest): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	const { code, signal, error, failedAt } = input.exit;
	await ctx.db.transaction(async (tx) => {
		if (input.notice) await recordNotice(tx, agent, { ...input.notice, nowMs });
		await recordOwnStop(tx, agent, input, nowMs);
		await finishAttempt(tx, {
			attemptId: agent.attemptId,
			exit: { code, signal, error, ...(failedAt ? { failedAt } : {}) },
			atMs: believableMs(agent, input.atMs, nowMs),
		});
	});
	// A stop cuts an upload short; a job that is over has no later one that would clear it away. Told again, the next
	// attempt's upload may be under way.
	if (!isAttemptOver(agent)) await dropUnfinishedCheckpoints(ctx, agent);
}

/** The agent stopped the command by itself: that is why it ended, unless a stop was asked for before. */
async function recordOwnStop(tx: Tx, agent: AgentIdentity, input: ExitedRequest, nowMs: number): Promise<void> {
	if (!input.stoppedBy) return;
	await requestStop(tx, { attemptId: agent.attemptId, reason: ownStopReason(input.stoppedBy, input, agent), atMs: nowMs });
}

function ownStopReason(cause: NonNullable<ExitedRequest["stoppedBy"]>, input: ExitedRequest, agent: AgentIdentity): Reason {
	switch (cause) {
		case "notice":
			return reason("spot_interruption", { interruptionAtMs: input.notice?.atMs ?? null });
		case "expired":
			return reason("instance_expired", { expiresAtMs: agent.expiresAtMs });
		case "control_silent":
			return reason("agent_silent", { controlSilent: true });
		case "signalled":
			return reason("instance_vanished", { signalled: true });
		default:
			return assertNever(cause, "cause of a stop");
	}
}
