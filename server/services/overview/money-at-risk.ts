import { and, eq, ne, sql } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { costOfElapsed } from "#server/kernel/money.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readStrays } from "./stray-risk.ts";

/** A machine being terminated counts as at risk when it was not seen terminated for this long. */
export const TERMINATION_PATIENCE_MS = 3 * MINUTE_MS;
/** A launch without a clear answer for this long. */
export const LAUNCH_PATIENCE_MS = 2 * MINUTE_MS;

/** Look-back for machines not found yet; longer than any machine lives. */
const LAUNCHED_AT_MOST_MS = 31 * DAY_MS;

export interface RiskItem {
	/** Spillway's id; for a machine without a job the provider's. */
	instanceId: string;
	/** Null without a job. */
	jobId: string | null;
	why: "not_seen_gone" | "cut_off" | "launch_unclear" | "past_expiry" | "of_nobody";
	/** For a machine without a job: its launch, where the provider reports it, else when a sweep first found it. */
	sinceMs: number;
	/** Possible cost beyond its use until now; null when its price is unknown. */
	microUsd: string | null;
	/** Whether this uses the price of similar machines instead of the price it was launched at. */
	isEstimate: boolean;
}

/**
 * Possible wasted spend right now, until the machines are confirmed terminated: machines that should have ended, machines cut
 * off while their job continues elsewhere, launches with an unknown outcome, machines past their expiry, and machines with our
 * tag that belong to no job. The total covers those with a known price.
 */
export async function moneyAtRisk(ctx: ServiceContext): Promise<{ totalMicroUsd: string; items: RiskItem[] }> {
	authorize(ctx, "capacity:read", null);
	const nowMs = ctx.clock.nowMs();
	const [rows, strays] = await Promise.all([liveBefore(ctx, nowMs), readStrays(ctx.db)]);
	const known = rows.flatMap(({ instance: i, attemptFinishedAt }): RiskItem[] => {
		const risk = riskOf(i, attemptFinishedAt, nowMs);
		if (!risk) return [];
		const microUsd = costSince(i.microUsdPerHour, risk.sinceMs, nowMs);
		return [{ instanceId: i.id, jobId: i.jobId, ...risk, microUsd, isEstimate: false }];
	});
	const withoutJob = strays.map(({ providerInstanceId, launchedAtMs, sinceMs: foundMs, microUsdPerHour }): RiskItem => {
		// A provider's clock that is years off must not add years of cost.
		const sinceMs = Math.min(foundMs, Math.max(launchedAtMs ?? foundMs, foundMs - LAUNCHED_AT_MOST_MS));
		const microUsd = microUsdPerHour === null ? null : costSince(microUsdPerHour, sinceMs, nowMs);
		return { instanceId: providerInstanceId, jobId: null, why: "of_nobody", sinceMs, microUsd, isEstimate: true };
	});
	const items = [...known, ...withoutJob];
	return { totalMicroUsd: items.reduce((sum, i) => sum + BigInt(i.microUsd ?? 0), 0n).toString(), items };
}

function costSince(microUsdPerHour: bigint, sinceMs: number, nowMs: number): string {
	return costOfElapsed(microUsdPerHour, Math.max(0, nowMs - sinceMs)).toString();
}

function liveBefore(ctx: ServiceContext, nowMs: number) {
	const before = new Date(nowMs - Math.min(LAUNCH_PATIENCE_MS, TERMINATION_PATIENCE_MS)).toISOString();
	return ctx.db
		.select({ instance, attemptFinishedAt: attempt.finishedAt })
		.from(instance)
		.leftJoin(attempt, eq(attempt.id, instance.attemptId))
		.where(and(ne(instance.state, "terminated"), sql`${instance.intendedAt} < ${before}::timestamptz`));
}

function riskOf(i: typeof instance.$inferSelect, attemptFinishedAt: Date | null, nowMs: number): Pick<RiskItem, "why" | "sinceMs"> | null {
	if (i.expiresAt.getTime() < nowMs) return { why: "past_expiry", sinceMs: i.expiresAt.getTime() };
	if (i.fencedAt !== null) return { why: "cut_off", sinceMs: i.fencedAt.getTime() };
	const keptUntil = i.attemptId === null ? i.warmUntil : attemptFinishedAt;
	const endedAtMs = (i.terminatingAt ?? keptUntil)?.getTime();
	if (endedAtMs !== undefined && nowMs - endedAtMs > TERMINATION_PATIENCE_MS) return { why: "not_seen_gone", sinceMs: endedAtMs };
	const requestedMs = i.requestedAt?.getTime();
	if (i.state === "requested" && requestedMs !== undefined && nowMs - requestedMs > LAUNCH_PATIENCE_MS)
		return { why: "launch_unclear", sinceMs: requestedMs };
	return null;
}
