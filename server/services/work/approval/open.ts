import { and, desc, eq, inArray } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { approval } from "#server/db/schema/approval.ts";
import { job } from "#server/db/schema/job.ts";
import { alertWords } from "#server/domain/alert-sentences.ts";
import type { ApprovalAnswer, ApprovalQuote, ApprovalRequest } from "#server/domain/approval.ts";
import { reason } from "#server/domain/reasons.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { namesOf } from "#server/services/core/people.ts";
import { openAlert, updateAlertFacts } from "#server/services/notification/alert/open.ts";
import { recordJobNotice } from "../notice/job.ts";
import { endApprovals } from "./close.ts";
import { expiryFrom } from "./settings.ts";

export interface OpenApproval {
	jobId: string;
	request: ApprovalRequest;
	/** The decision that held the job; null when no new one was written. */
	decisionId: string | null;
	policy: { name: string; version: number };
	/** The answers that the decision knew. Absent: a person requests it, whatever was answered before. */
	knownAnswers?: readonly ApprovalAnswer[];
	nowMs: number;
}

/** A price that changed by less than 1 % is still the requested one. */
const SAME_WITHIN = 100n;

/**
 * Requests a person's approval in the transaction that holds the job: the row, its alert (and so mail and chat) and its audit line. A job
 * has one open request at a time: one for the same rule gets the current price, one for another rule is withdrawn. A request answered
 * since the decision read its data is not repeated: the next cycle decides with the answer. Returns the id of a new request, or null when
 * none was opened.
 */
export async function openApproval(tx: Tx, ctx: Pick<ServiceContext, "actor" | "requestId">, input: OpenApproval): Promise<string | null> {
	const { jobId, request, policy, nowMs } = input;
	const quote: ApprovalQuote = { ...request.quote, decisionId: input.decisionId };
	// Lock the job's row first, as everything that answers or cancels does.
	const [row] = await tx.select().from(job).where(eq(job.id, jobId)).for("update");
	if (!row || (row.state !== "held" && row.state !== "queued") || row.cancelRequestedAt !== null) return null;
	const [open] = await tx
		.select()
		.from(approval)
		.where(and(eq(approval.jobId, jobId), eq(approval.state, "open")))
		.for("update");
	if (!open && (await isAnswerUnknown(tx, input))) return null;
	if (open && open.ruleId === request.ruleId && open.role === request.role) {
		await refresh(tx, open, row, quote);
		return null;
	}
	if (open) await endApprovals(tx, { where: { ids: [open.id] }, state: "withdrawn", why: "another rule asks now", nowMs });
	const id = newId("appr", nowMs);
	const expiresAt = await expiryFrom(tx, nowMs);
	const { ruleId, role } = request;
	await tx.insert(approval).values({
		...{ id, jobId, ruleId, role, quote, expiresAt },
		...{ policyName: policy.name, policyVersion: policy.version, requestedAt: new Date(nowMs) },
	});
	const who = (await namesOf(tx, [row.submittedBy]))(row.submittedBy);
	const facts = {
		...{ jobId, jobName: row.name, team: row.team, ruleId, role, submittedBy: who },
		...{ ...quoteFacts(quote), expiresMs: expiresAt.getTime() },
	};
	await openAlert(tx, { rule: "approval_waiting", subject: id, team: row.team, facts }, nowMs);
	const why = alertWords("approval_waiting", facts).text;
	await recordJobNotice(tx, { jobId, event: "needs_approval", why, occurrence: id, nowMs });
	const after = { state: "open", jobId, ruleId, role, costMicroUsd: quote.costMicroUsd, policyVersion: policy.version };
	await writeAudit(tx, { ...ctx, clock: { nowMs: () => nowMs } }, { action: "approval.ask", subject: id, after });
	await notify(tx, {
		changes: [
			{ topic: "approval", id, team: row.team },
			{ topic: "alert", id: null, team: null },
		],
	});
	return id;
}

/**
 * Whether the newest answer to the rule is one that the decision did not know. Times do not show it: an answer is committed after the time
 * that it carries, so a snapshot of a later time may still lack it.
 */
async function isAnswerUnknown(tx: Tx, { jobId, request: { ruleId }, knownAnswers }: OpenApproval): Promise<boolean> {
	if (!knownAnswers) return false;
	const [newest] = await tx
		.select({ state: approval.state, upToMicroUsd: approval.upToMicroUsd })
		.from(approval)
		.where(and(eq(approval.jobId, jobId), eq(approval.ruleId, ruleId), inArray(approval.state, ["granted", "refused", "expired"])))
		.orderBy(desc(approval.requestedAt), desc(approval.id))
		.limit(1);
	if (!newest) return false;
	return !knownAnswers.some(
		(known) => known.ruleId === ruleId && known.answer === newest.state && known.upToMicroUsd === newest.upToMicroUsd,
	);
}

function quoteFacts({ placement, costMicroUsd, hourlyMicroUsd, homeStartP50Ms }: ApprovalQuote) {
	const { provider, region, instanceType } = placement;
	const place = [provider, region, instanceType].filter((part) => part !== null).join(" ");
	return { place, costMicroUsd, hourlyMicroUsd, homeStartMs: homeStartP50Ms };
}

/** Also in the alert and in the job's reason: all three show one quote. */
async function refresh(
	tx: Tx,
	open: typeof approval.$inferSelect,
	waiting: Pick<typeof job.$inferSelect, "id" | "reason">,
	quote: ApprovalQuote,
): Promise<void> {
	if (!movedFrom(open.quote, quote)) return;
	await updateAlertFacts(tx, { rule: "approval_waiting", subject: open.id, facts: quoteFacts(quote) });
	const { code, facts } = waiting.reason;
	if (code === "approval_required")
		await tx
			.update(job)
			.set({ reason: reason(code, { ...facts, costMicroUsd: quote.costMicroUsd }) })
			.where(eq(job.id, waiting.id));
	await tx
		.update(approval)
		.set({ quote: { ...quote, decisionId: quote.decisionId ?? open.quote.decisionId } })
		.where(and(eq(approval.id, open.id), eq(approval.state, "open")));
	await notify(tx, {
		changes: [
			{ topic: "approval", id: open.id, team: null },
			{ topic: "job", id: waiting.id, team: null },
			{ topic: "alert", id: null, team: null },
		],
	});
}

/** Whether approvers need a new quote: another placement, or another price. */
export function movedFrom(before: ApprovalQuote, now: Pick<ApprovalQuote, "placement" | "costMicroUsd">): boolean {
	const was = BigInt(before.costMicroUsd);
	const by = BigInt(now.costMicroUsd) - was;
	if ((by < 0n ? -by : by) * SAME_WITHIN > was) return true;
	const { region, instanceType, capacityType } = now.placement;
	return (
		region !== before.placement.region || instanceType !== before.placement.instanceType || capacityType !== before.placement.capacityType
	);
}
