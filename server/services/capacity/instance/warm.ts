import { and, eq, gt, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { newId } from "#server/kernel/ids.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { lockBudgets } from "#server/services/ledger/budget/lock.ts";
import { placeHold } from "#server/services/ledger/budget/place-hold.ts";
import { columnsOfOffer } from "./of-offer.ts";

/** A machine with less time left than this gets no job: its agent must enroll before the machine powers itself off. */
export const LAST_ASSIGNMENT_MS = MINUTE_MS;

type WarmBudget = Pick<BudgetRule, "id" | "period" | "capMicroUsd">;

/** The budget of a prewarm rule, separate from the policy's: no name in a policy contains a colon. */
export function warmBudgetOf(ruleId: string, capMicroUsd: bigint): WarmBudget {
	return { id: `prewarm:${ruleId}`, period: "month", capMicroUsd };
}

/**
 * Writes the intent of a machine without a job, with its worst case held in the rule's budget. Returns null if the rule has all its machines
 * or its budget has too little left.
 */
export async function launchWarm(
	tx: Tx,
	input: {
		rule: { id: string; machines: number; capMicroUsdPerMonth: bigint };
		/** The job that the offer was chosen for. */
		warmFor: string;
		offer: Offer;
		/** What it fetches while it waits. */
		preparation: PreparedItem[];
		keepStopped: boolean;
		holdMicroUsd: bigint;
		/** Longest time without a job, and longest life with one. */
		warmMs: number;
		lifeMs: number;
		bootstrapHashFor(instanceId: string): string;
		nowMs: number;
	},
): Promise<string | null> {
	const { rule, offer, holdMicroUsd, nowMs } = input;
	const budget = warmBudgetOf(rule.id, rule.capMicroUsdPerMonth);
	// The budget's lock also makes a second scheduler count this machine.
	await lockBudgets(tx, [budget.id]);
	const own = and(eq(instance.warmRule, rule.id), isNull(instance.attemptId), ne(instance.state, "terminated"));
	if ((await tx.$count(instance, own)) >= rule.machines) return null;
	const instanceId = newId("ins", nowMs);
	const held = await placeHold(tx, { holds: [{ instanceId, warm: true, amountMicroUsd: holdMicroUsd }], budgets: [budget], nowMs });
	if (!held.ok) return null;
	const untilMs = nowMs + input.warmMs;
	await tx.insert(instance).values({
		...columnsOfOffer(offer),
		...{ id: instanceId, warmRule: rule.id, warmFor: input.warmFor, warmUntil: new Date(untilMs) },
		keepStopped: input.keepStopped,
		preparation: input.preparation.length > 0 ? input.preparation : null,
		...{ intendedAt: new Date(nowMs), expiresAt: new Date(untilMs + input.lifeMs) },
		bootstrapHash: input.bootstrapHashFor(instanceId),
	});
	const { siteId, region, zone, instanceType, capacityType } = offer;
	await writeSchedulerAudit(tx, {
		...{ action: "instance.prewarm", subject: instanceId, atMs: nowMs },
		after: {
			...{ ruleId: rule.id, siteId, region, zone, instanceType, capacityType, keepStopped: input.keepStopped, warmUntilMs: untilMs },
			...{ microUsdPerHour: String(offer.microUsdPerHour), holdMicroUsd: String(holdMicroUsd) },
		},
	});
	await notify(tx, { changes: [{ topic: "instance", id: instanceId, team: null }] });
	return instanceId;
}

/**
 * Locks a ready machine for a job that needs it for `lifeMs`. Returns false if it cannot take one any more, or another transaction holds it.
 * Call it after locking the job's budgets.
 */
export async function lockWarm(
	tx: Tx,
	{ instanceId, lifeMs, nowMs }: { instanceId: string; lifeMs: number; nowMs: number },
): Promise<boolean> {
	const [row] = await tx
		.select({ id: instance.id })
		.from(instance)
		.where(
			and(
				...[eq(instance.id, instanceId), isNull(instance.attemptId), eq(instance.state, "ready"), isNull(instance.interruptionAt)],
				// While it is being stopped it cannot be started.
				or(isNull(instance.stopCalledAt), isNotNull(instance.stoppedFrom)),
				gt(instance.warmUntil, new Date(nowMs + LAST_ASSIGNMENT_MS)),
				gt(instance.expiresAt, new Date(nowMs + lifeMs - 1)),
			),
		)
		.for("update", { skipLocked: true });
	return row !== undefined;
}

/** Gives a locked machine its job. The database rejects a second one. */
export async function assignWarm(
	tx: Tx,
	{ instanceId, jobId, attemptId, lifeMs, nowMs }: { instanceId: string; jobId: string; attemptId: string; lifeMs: number; nowMs: number },
): Promise<void> {
	const at = new Date(nowMs).toISOString();
	await tx
		.update(instance)
		.set({
			...{ jobId, attemptId, expiresAt: new Date(nowMs + lifeMs) },
			// Time that a meter has charged already stays as it was charged.
			assignedAt: sql`greatest(${at}::timestamptz, ${instance.meteredUntil})`,
		})
		.where(eq(instance.id, instanceId));
}

/** Ends the time of a machine without a job. The next sync of its cloud terminates it. Once it has a job, nothing changes. */
export async function giveUpWarm(
	tx: Tx,
	{ instanceId, reason, atMs }: { instanceId: string; reason: Reason; atMs: number },
): Promise<void> {
	const at = new Date(atMs);
	const given = await tx
		.update(instance)
		.set({ warmUntil: at, reason })
		.where(and(eq(instance.id, instanceId), isNull(instance.attemptId), isNull(instance.reason), ne(instance.state, "terminated")))
		.returning({ id: instance.id });
	if (given.length > 0) await notify(tx, { wake: true, changes: [{ topic: "instance", id: instanceId, team: null }] });
}
