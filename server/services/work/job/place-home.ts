import { and, eq, isNull, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { pool } from "#server/db/schema/site.ts";
import type { Placement } from "#server/domain/capacity.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import { attemptIdOf, newId } from "#server/kernel/ids.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { admitJob } from "./admit.ts";

/**
 * Places a job on slots at home: attempt, allocation and job in one step. Returns null when the job has moved on or a slot is taken: the
 * plan was stale, and the next cycle decides again.
 */
export async function placeHome(
	tx: Tx,
	input: {
		jobId: string;
		attemptNo: number;
		siteId: string;
		provider: Provider;
		poolId: string;
		slots: number[];
		reason: Reason;
		nowMs: number;
	},
): Promise<{ attemptId: string } | null> {
	const [row] = await tx
		.select()
		.from(pool)
		.where(and(eq(pool.siteId, input.siteId), eq(pool.id, input.poolId)))
		.for("update");
	if (!row) return null;
	const [clash] = await tx
		.select({ id: allocation.id })
		.from(allocation)
		.where(
			and(
				eq(allocation.siteId, input.siteId),
				eq(allocation.poolId, input.poolId),
				isNull(allocation.endedAt),
				sql`${allocation.slots} && ${sql.param(input.slots)}::integer[]`,
			),
		)
		.limit(1);
	if (clash) return null;
	const placement: Placement = {
		siteId: input.siteId,
		provider: input.provider,
		region: null,
		zone: null,
		capacityType: "owned",
		instanceType: null,
		poolId: input.poolId,
		accelerator: row.accelerator,
	};
	const admitted = await admitJob(tx, {
		jobId: input.jobId,
		attemptNo: input.attemptNo,
		placement,
		reason: input.reason,
		nowMs: input.nowMs,
	});
	if (!admitted) return null;
	const attemptId = attemptIdOf(input.jobId, input.attemptNo);
	const at = new Date(input.nowMs);
	await tx.insert(attempt).values({
		id: attemptId,
		jobId: input.jobId,
		number: input.attemptNo,
		placement,
		siteId: input.siteId,
		capacityType: "owned",
		gpus: input.slots.length,
		slots: input.slots,
		createdAt: at,
	});
	await tx.insert(allocation).values({
		id: newId("alc", input.nowMs),
		attemptId,
		jobId: input.jobId,
		siteId: input.siteId,
		poolId: input.poolId,
		slots: input.slots,
		microUsdPerGpuHour: row.microUsdPerGpuHour,
		startedAt: at,
	});
	const { siteId, poolId, slots } = input;
	await writeSchedulerAudit(tx, {
		...{ action: "job.place", subject: input.jobId, atMs: input.nowMs },
		after: { attemptId, siteId, poolId, gpus: slots.length, reason: input.reason.code },
	});
	return { attemptId };
}
