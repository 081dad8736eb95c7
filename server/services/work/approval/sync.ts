import { eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { approval } from "#server/db/schema/approval.ts";
import { microToUsdNumber } from "#server/kernel/money.ts";
import { judgeQuote } from "#server/policy/judge-quote.ts";
import type { Plan, Snapshot } from "#server/scheduling/types.ts";
import { LOOP } from "#server/services/core/context.ts";
import { endApprovals } from "./close.ts";
import { movedFrom, openApproval } from "./open.ts";

export interface SyncedApprovals {
	opened: number;
	withdrawn: number;
	expired: number;
}

/**
 * Aligns open approvals with the cycle's decisions: requests them for jobs previously held for another reason, updates prices, withdraws
 * those that are no longer needed, and expires unanswered ones. Cost: one read of the open ones.
 */
export async function syncApprovals(db: Db, snapshot: Snapshot, plan: Plan): Promise<SyncedApprovals> {
	const done: SyncedApprovals = { opened: 0, withdrawn: 0, expired: 0 };
	const open = await db.select().from(approval).where(eq(approval.state, "open"));
	const { nowMs, policy, policyVersion } = snapshot;
	const expired = open.filter((o) => o.expiresAt.getTime() <= nowMs);
	const withdrawn = open.filter((o) => !expired.includes(o) && isOver(o, snapshot, plan));
	const ended = new Set([...expired, ...withdrawn].map((o) => o.jobId));
	await db.transaction(async (tx) => {
		const end = (rows: typeof open, state: "withdrawn" | "expired", why: string) =>
			rows.length === 0 ? 0 : endApprovals(tx, { where: { ids: rows.map((o) => o.id) }, state, why, nowMs });
		done.expired = await end(expired, "expired", "no one answered in time");
		done.withdrawn = await end(withdrawn, "withdrawn", "the policy asks no more, or the job has moved on");
	});
	const byJob = new Map(open.map((o) => [o.jobId, o]));
	const answers = new Map(snapshot.pending.map((job) => [job.jobId, job.approvals ?? []]));
	for (const [jobId, request] of plan.asks ?? []) {
		const now = byJob.get(jobId);
		if (ended.has(jobId) || (now && now.ruleId === request.ruleId && now.role === request.role && !movedFrom(now.quote, request.quote)))
			continue;
		const known = { knownAnswers: answers.get(jobId) ?? [] };
		const asked = { jobId, request, decisionId: null, policy: { name: policy.name, version: policyVersion }, ...known, nowMs };
		if ((await db.transaction((tx) => openApproval(tx, LOOP, asked))) !== null) done.opened++;
	}
	return done;
}

/** Whether the job no longer waits, or a newer policy would not require approval for the recorded placement. */
function isOver(open: typeof approval.$inferSelect, { pending, policy, policyVersion, offers, nowMs }: Snapshot, plan: Plan): boolean {
	const waits = pending.find((p) => p.jobId === open.jobId);
	// Leave requests made after the snapshot was read to the next cycle.
	if (!waits) return open.requestedAt.getTime() < nowMs;
	if (plan.asks?.has(open.jobId) || policyVersion === open.policyVersion) return false;
	const { placement, costMicroUsd, hourlyMicroUsd } = open.quote;
	const offer = offers.find(
		(o) => o.region === placement.region && o.instanceType === placement.instanceType && o.capacityType === placement.capacityType,
	);
	const quote = { costUsd: Number(costMicroUsd) / 1e6, hourlyUsd: microToUsdNumber(BigInt(hourlyMicroUsd)), offer: offer ?? null };
	return judgeQuote(policy, waits.spec, quote)?.ruleId !== open.ruleId;
}
