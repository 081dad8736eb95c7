import { and, eq, ne, sql } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { costOfElapsed } from "#server/kernel/money.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { authorize } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";

/** A machine that is being ended counts as at risk when it was not seen gone for this long. */
export const TERMINATION_PATIENCE_MS = 3 * MINUTE_MS;
/** A launch without a clear answer for this long. */
export const LAUNCH_PATIENCE_MS = 2 * MINUTE_MS;

export interface RiskItem {
	instanceId: string;
	jobId: string;
	why: "not_seen_gone" | "launch_unclear" | "past_expiry";
	sinceMs: number;
	/** What it may have cost beyond its use until now. */
	microUsd: string;
}

/**
 * Money that may be running for nothing now: machines that should be gone and were not seen gone, launches whose
 * outcome nobody knows, and machines past their expiry.
 */
export async function moneyAtRisk(ctx: ServiceContext): Promise<{ totalMicroUsd: string; items: RiskItem[] }> {
	authorize(ctx, "capacity:read", null);
	const nowMs = ctx.clock.nowMs();
	const rows = await ctx.db
		.select({ instance, attemptFinishedAt: attempt.finishedAt })
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.where(
			and(
				ne(instance.state, "terminated"),
				sql`${instance.intendedAt} < ${new Date(nowMs - Math.min(LAUNCH_PATIENCE_MS, TERMINATION_PATIENCE_MS)).toISOString()}::timestamptz`,
			),
		);
	const items = rows.flatMap(({ instance: i, attemptFinishedAt }): RiskItem[] => {
		const risk = riskOf(i, attemptFinishedAt, nowMs);
		return risk
			? [
					{
						instanceId: i.id,
						jobId: i.jobId,
						...risk,
						microUsd: costOfElapsed(i.microUsdPerHour, Math.max(0, nowMs - risk.sinceMs)).toString(),
					},
				]
			: [];
	});
	return { totalMicroUsd: items.reduce((sum, i) => sum + BigInt(i.microUsd), 0n).toString(), items };
}

function riskOf(i: typeof instance.$inferSelect, attemptFinishedAt: Date | null, nowMs: number): Pick<RiskItem, "why" | "sinceMs"> | null {
	if (i.expiresAt.getTime() < nowMs) return { why: "past_expiry", sinceMs: i.expiresAt.getTime() };
	const endedAtMs = i.terminatingAt?.getTime() ?? attemptFinishedAt?.getTime();
	if (endedAtMs !== undefined && nowMs - endedAtMs > TERMINATION_PATIENCE_MS) return { why: "not_seen_gone", sinceMs: endedAtMs };
	const requestedMs = i.requestedAt?.getTime();
	if (i.state === "requested" && requestedMs !== undefined && nowMs - requestedMs > LAUNCH_PATIENCE_MS)
		return { why: "launch_unclear", sinceMs: requestedMs };
	return null;
}
