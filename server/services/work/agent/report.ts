import { eq } from "drizzle-orm";
import type { ExitedRequest, LogsAnswer, LogsRequest, RunningRequest } from "#server/agent/protocol.ts";
import type { Tx } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import { ofMember } from "#server/domain/gang.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { assertNever } from "#server/kernel/assert.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { markRunning } from "../attempt/advance.ts";
import { appendLogs } from "../attempt/append-logs.ts";
import { endMember } from "../attempt/end-member.ts";
import { lockJobOf } from "../attempt/lock-job.ts";
import { requestStop } from "../attempt/request-stop.ts";
import { type AgentIdentity, believableMs, isAttemptOver, requireLiveAttempt } from "./authenticate.ts";
import { dropUnfinishedCheckpoints } from "./checkpoint.ts";
import type { AgentContext } from "./context.ts";
import { recordNotice } from "./heartbeat.ts";
import { recordReads } from "./record-reads.ts";

/**
 * Stores log lines, each once: lines already stored are skipped. Each machine numbers its own lines, which are appended to the attempt's
 * log in order of arrival. In a gang each line begins with the rank that wrote it, as torchrun's do.
 * @throws SpillwayError `conflict` when lines before the first one are missing, or the attempt is over.
 */
export async function storeAgentLogs(ctx: AgentContext, agent: AgentIdentity, input: LogsRequest): Promise<LogsAnswer> {
	requireLiveAttempt(agent);
	return ctx.db.transaction(async (tx) => {
		const machine = { stored: instance.logLines, fencedAt: instance.fencedAt };
		const [row] = await tx.select(machine).from(instance).where(eq(instance.id, agent.instanceId)).for("update");
		requireLiveAttempt({ ...agent, isFenced: row?.fencedAt != null });
		const before = row?.stored ?? 0;
		if (input.firstNumber > before + 1) {
			throw new SpillwayError("conflict", `Received line ${input.firstNumber}, but only ${before} lines are stored.`, {
				fix: `Continue from line ${before + 1}.`,
			});
		}
		const fresh = input.lines.slice(before + 1 - input.firstNumber);
		const lines = agent.nodes === 1 ? fresh : fresh.map((line) => ({ ...line, text: `[${agent.rank}] ${line.text}` }));
		const { taken, full } = await appendLogs(tx, { attemptId: agent.attemptId, lines });
		const stored = before + taken;
		if (taken > 0) await tx.update(instance).set({ logLines: stored }).where(eq(instance.id, agent.instanceId));
		return { stored, full };
	});
}

/** Records that the command was started. */
export async function reportRunning(ctx: AgentContext, agent: AgentIdentity, input: RunningRequest): Promise<void> {
	const atMs = believableMs(agent, input.atMs, ctx.clock.nowMs());
	await ctx.db.transaction(async (tx) => {
		await recordReads(tx, agent, input.readBytes, ctx.clock.nowMs());
		await markRunning(tx, { attemptId: agent.attemptId, atMs });
	});
}

/**
 * Records that the command has ended and nothing of the attempt runs any more. A repeated report, or one by a fenced machine, changes
 * nothing.
 */
export async function reportExited(ctx: AgentContext, agent: AgentIdentity, input: ExitedRequest): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	const { code, signal, error, failedAt, outOfMemory, unkept, outputProblem } = input.exit;
	await ctx.db.transaction(async (tx) => {
		// In the usual lock order: instance, job, attempt.
		const [row] = await tx
			.update(instance)
			.set({ lastHeardAt: new Date(nowMs) })
			.where(eq(instance.id, agent.instanceId))
			.returning({ fencedAt: instance.fencedAt });
		await recordReads(tx, agent, input.readBytes, nowMs);
		if (row?.fencedAt) return;
		await lockJobOf(tx, agent.attemptId);
		if (input.notice) await recordNotice(tx, agent, { ...input.notice, nowMs });
		await recordOwnStop(tx, agent, input, nowMs);
		await endMember(tx, {
			attemptId: agent.attemptId,
			instanceId: agent.instanceId,
			exit: {
				code,
				signal,
				error,
				...(failedAt && { failedAt }),
				...(outOfMemory && { outOfMemory }),
				...(unkept && { unkept }),
				...(outputProblem && { outputProblem }),
			},
			atMs: believableMs(agent, input.atMs, nowMs),
		});
	});
	// A stop cuts an upload short, and for an ended job no later upload would clean it up. On a repeat, the next attempt's upload may be
	// running.
	if (!isAttemptOver(agent) && !agent.isFenced && agent.rank === 0) await dropUnfinishedCheckpoints(ctx, agent);
}

/** The agent stopped the command by itself. That is the reason it ended, unless a stop was requested before. */
async function recordOwnStop(tx: Tx, agent: AgentIdentity, input: ExitedRequest, nowMs: number): Promise<void> {
	if (!input.stoppedBy) return;
	const why = ofMember(ownStopReason(input.stoppedBy, input, agent), agent.rank, agent.nodes);
	await requestStop(tx, { attemptId: agent.attemptId, reason: why, atMs: nowMs });
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
