import { and, eq, gte, inArray, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { gpuMinute } from "#server/db/schema/gpu-minute.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { Policy } from "#server/domain/policy.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import type { RunningAttempt } from "#server/scheduling/types.ts";

export type GpuUse = Pick<RunningAttempt, "gpuUtilisation" | "idleSinceMs">;

/** A minute is reported after it ends, with the next heartbeat; until then it still counts in the window. */
const REPORT_DELAY_MS = 2 * MINUTE_MS;

/**
 * GPU use of running attempts, as needed by the policy's rules: the mean over the longest window of any rule, and the time since which all
 * machines of an attempt have been idle. Attempts on machines without measurements are excluded. Cost: nothing without such a rule;
 * otherwise the minutes of live attempts within the window.
 */
export async function readGpuUse(tx: Tx, policy: Policy, nowMs: number): Promise<ReadonlyMap<string, GpuUse>> {
	const { windowMs, idle } = asked(policy);
	if (windowMs === null && !idle) return new Map();
	const fromMs = nowMs - (windowMs ?? 0) - REPORT_DELAY_MS;
	const counted = idle ? sql`true` : gte(gpuMinute.minute, new Date(fromMs));
	const ms = (what: ReturnType<typeof sql>) => sql<string | null>`extract(epoch from ${what}) * 1000`;
	const inWindow = sql`${gpuMinute.minute} >= ${new Date(fromMs).toISOString()}::timestamptz`;
	const rows = await tx
		.select({
			attemptId: attempt.id,
			permille: sql<string | null>`avg(${gpuMinute.utilisationPermille}) filter (where ${inWindow})`,
			firstMs: ms(sql`min(${gpuMinute.minute}) filter (where ${inWindow})`),
			lastMs: ms(sql`max(${gpuMinute.minute})`),
			beganMs: ms(sql`min(${gpuMinute.minute})`),
			busyMs: ms(sql`max(${gpuMinute.minute}) filter (where ${gpuMinute.utilisationPermille} > 0)`),
		})
		.from(gpuMinute)
		.innerJoin(instance, eq(instance.id, gpuMinute.instanceId))
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.where(and(inArray(attempt.state, ["running"]), gte(gpuMinute.minute, attempt.startedAt), counted))
		.groupBy(attempt.id);
	return new Map(
		rows.map(({ attemptId, permille, firstMs, lastMs, beganMs, busyMs }): [string, GpuUse] => {
			const endMs = Number(lastMs) + MINUTE_MS;
			const idleSinceMs = busyMs === null ? Number(beganMs) : Number(busyMs) + MINUTE_MS;
			return [
				attemptId,
				{
					...(windowMs === null || permille === null || firstMs === null
						? {}
						: { gpuUtilisation: { percent: Number(permille) / 10, overMs: Math.min(windowMs, endMs - Number(firstMs)) } }),
					...(idle ? { idleSinceMs: idleSinceMs < endMs ? idleSinceMs : null } : {}),
				},
			];
		}),
	);
}

function asked(policy: Policy): { windowMs: number | null; idle: boolean } {
	let windowMs: number | null = null;
	let idle = false;
	for (const { effect } of policy.rules) {
		if (effect.kind !== "limit") continue;
		if (effect.gpuUtilisationBelow) windowMs = Math.max(windowMs ?? 0, effect.gpuUtilisationBelow.forMs);
		if (effect.idleMs !== null) idle = true;
	}
	return { windowMs, idle };
}
