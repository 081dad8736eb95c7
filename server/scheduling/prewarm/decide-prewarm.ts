import { costOfElapsed } from "#server/kernel/money.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { normalQuantile } from "../normal.ts";
import type { MachinesNeeded, PrewarmEffect, PrewarmFacts, PrewarmPlan } from "./types.ts";

/** Time between two decisions. */
export const PREWARM_REVIEW_MS = 5 * MINUTE_MS;
/** Standard normal quantile of 90%. */
const NORMAL_P90 = 1.2815515655446004;

/**
 * Which machines a prewarm rule launches, keeps and ends now. Always within `machines` and `monthlyUsd`: the worst cases of all kept
 * machines, on top of what was spent in the month, fit into it.
 */
export function decidePrewarm(rule: PrewarmEffect, facts: PrewarmFacts): PrewarmPlan {
	const { target, launchTarget } = targetsOf(rule, facts);
	const end: PrewarmPlan["end"][number][] = [];
	let leftMicroUsd = rule.capMicroUsdPerMonth - facts.spentMicroUsd;
	let kept = 0;
	// The cheapest are kept. Of equal ones those with the most idle time left, then by ID.
	const ordered = [...facts.idle].sort(
		(a, b) => Number(a.microUsdPerHour - b.microUsdPerHour) || b.idleSinceMs - a.idleSinceMs || (a.id < b.id ? -1 : 1),
	);
	for (const { id, idleSinceMs, holdMicroUsd } of ordered) {
		if (facts.nowMs - idleSinceMs >= rule.idleMs) end.push({ id, why: "idle_limit" });
		else if (kept >= target) end.push({ id, why: "not_expected" });
		else if (holdMicroUsd > leftMicroUsd) end.push({ id, why: "budget" });
		else {
			leftMicroUsd -= holdMicroUsd;
			kept++;
		}
	}
	const hold = facts.price?.holdMicroUsd ?? 0n;
	const affordable = hold > 0n && leftMicroUsd > 0n ? Number(leftMicroUsd / hold) : 0;
	const isPaused = hasFailed(rule, facts) || end.some(({ why }) => why === "idle_limit");
	const launch = isPaused ? 0 : Math.max(0, Math.min(launchTarget - kept, affordable));
	return { target, launchTarget, launch, end };
}

/**
 * Worst case of one machine: its boot, and its price until the first review after the idle limit. `bootMs` is 0 for a machine that already
 * runs; prices are the highest possible ones, disks included.
 */
export function holdOf(
	{ idleMs }: Pick<PrewarmEffect, "idleMs">,
	{ bootMs, bootMicroUsdPerHour, idleMicroUsdPerHour }: { bootMs: number; bootMicroUsdPerHour: bigint; idleMicroUsdPerHour: bigint },
): bigint {
	return costOfElapsed(bootMicroUsdPerHour, bootMs) + costOfElapsed(idleMicroUsdPerHour, idleMs + PREWARM_REVIEW_MS);
}

/** In the rule's hours all machines; else as many as are worth their cost. A machine that exists has paid for its boot. */
function targetsOf(rule: PrewarmEffect, facts: PrewarmFacts): { target: number; launchTarget: number } {
	const { machines, hours } = rule;
	if (hours !== null) {
		const all = facts.scheduledSinceMs === null ? 0 : machines;
		return { target: all, launchTarget: all };
	}
	const { needed, price } = facts;
	if (needed === null || price === null) return { target: 0, launchTarget: 0 };
	const shortMicroUsd = Number(rule.waitingMicroUsdPerGpuHour) * rule.gpusPerMachine * (facts.savedMs / HOUR_MS);
	// The forecast is for an hour, so a machine too many costs its price for that hour.
	const keepMicroUsd = Number(price.microUsdPerHour);
	const worth = (overMicroUsd: number): number => {
		const expected = quantileOf(needed, criticalShare(shortMicroUsd, overMicroUsd)) - facts.inUse;
		return Math.max(0, Math.min(machines, Math.ceil(expected - 1e-9)));
	};
	return { target: worth(keepMicroUsd), launchTarget: worth(keepMicroUsd + Number(price.bootMicroUsd)) };
}

/**
 * The newsvendor rule: keep so many machines that with this probability, 0 to 1, they are enough. `short` is the cost of each one missing
 * (the wait that it would have saved), `over` of each one too many (its price while it is kept).
 */
export function criticalShare(shortMicroUsd: number, overMicroUsd: number): number {
	return shortMicroUsd <= 0 ? 0 : shortMicroUsd / (shortMicroUsd + overMicroUsd);
}

/** Quantile of the machines needed: normal on each side of the median, with the forecast's ranges. Never below 0. */
export function quantileOf({ p10, p50, p90 }: MachinesNeeded, share: number): number {
	if (share <= 0) return 0;
	const z = normalQuantile(share);
	return Math.max(0, p50 + (z / NORMAL_P90) * (z < 0 ? p50 - p10 : p90 - p50));
}

/** A machine ended unused, and no job has needed one since, nor did new hours begin: the same mistake must not be paid for again. */
function hasFailed({ hours }: PrewarmEffect, { scheduledSinceMs, expiredAtMs, neededAtMs }: PrewarmFacts): boolean {
	if (expiredAtMs === null) return false;
	const againMs = hours === null ? neededAtMs : Math.max(neededAtMs ?? 0, scheduledSinceMs ?? 0);
	return againMs === null || againMs <= expiredAtMs;
}
