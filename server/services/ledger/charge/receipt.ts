import { and, asc, eq, gte, inArray, isNotNull } from "drizzle-orm";
import { type Receipt, receiptOf as reckonReceipt } from "#server/accounting/receipt.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { decision } from "#server/db/schema/decision.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { isCopyId } from "#server/domain/charge.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { chargesOf } from "./charges-of.ts";
import { keptOf } from "./kept.ts";
import { electricityOfJob } from "./receipt-electricity.ts";

/**
 * The cost of a job by attempt and line, and the estimated cost of its decision's other candidates.
 * @throws SpillwayError `not_found`, `forbidden`.
 */
export async function receiptOf(ctx: Pick<ServiceContext, "actor" | "db">, jobId: string): Promise<Receipt> {
	const charges = await chargesOf(ctx, jobId);
	const [row] = await ctx.db.select({ spec: job.spec }).from(job).where(eq(job.id, jobId));
	if (!row) throw new SpillwayError("not_found", `There is no job ${jobId}.`);
	const attempts = await ctx.db
		.select({ id: attempt.id, number: attempt.number, state: attempt.state, placement: attempt.placement })
		.from(attempt)
		.where(eq(attempt.jobId, jobId))
		.orderBy(asc(attempt.number));
	const [first] = await ctx.db
		.select({ explanation: decision.explanation })
		.from(decision)
		.where(and(eq(decision.jobId, jobId), isNotNull(decision.attemptNumber)))
		.orderBy(asc(decision.decidedAt))
		.limit(1);
	return reckonReceipt({
		jobId,
		nodes: row.spec.nodes,
		attempts,
		charges,
		settledCauseIds: await settledCauses(ctx, charges),
		electricity: await electricityOfJob(ctx.db, charges),
		kept: await keptOf(ctx.db, jobId),
		decision: first?.explanation ?? null,
	});
}

async function settledCauses(
	ctx: Pick<ServiceContext, "db">,
	charges: readonly { instanceId: string | null; allocationId: string | null; artifactId: string | null }[],
): Promise<Set<string>> {
	const instanceIds = [...new Set(charges.flatMap((c) => c.instanceId ?? []))];
	const allocationIds = [...new Set(charges.flatMap((c) => c.allocationId ?? []))];
	const instances =
		instanceIds.length === 0
			? []
			: await ctx.db
					.select({ id: instance.id })
					.from(instance)
					.where(and(inArray(instance.id, instanceIds), isNotNull(instance.terminatedAt), eq(instance.meteredUntil, instance.billedUntil)));
	const allocations =
		allocationIds.length === 0
			? []
			: await ctx.db
					.select({ id: allocation.id })
					.from(allocation)
					.where(and(inArray(allocation.id, allocationIds), eq(allocation.meteredUntil, allocation.endedAt)));
	const artifactIds = [...new Set(charges.flatMap((c) => c.artifactId ?? []))];
	const artifacts =
		artifactIds.length === 0
			? []
			: await ctx.db
					.select({ id: artifact.id })
					.from(artifact)
					.where(and(inArray(artifact.id, artifactIds), gte(artifact.meteredUntil, artifact.deletedAt)));
	// The bytes of a copy are charged when it has ended.
	const copies = artifactIds.filter(isCopyId).map((id) => ({ id }));
	return new Set([...instances, ...allocations, ...artifacts, ...copies].map((r) => r.id));
}
