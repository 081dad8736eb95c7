import { desc, eq } from "drizzle-orm";
import { decision } from "#server/db/schema/decision.ts";
import type { Explanation } from "#server/domain/decision.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type ReasonView, reasonView } from "#server/services/core/view.ts";
import { readableJob } from "../readable-job.ts";

export interface DecisionView extends Omit<Explanation, "reason"> {
	id: string;
	attemptNumber: number | null;
	reason: ReasonView;
}

/** Decisions for a job, newest first. */
export async function listDecisions(ctx: ServiceContext, jobId: string, limit = 50): Promise<DecisionView[]> {
	await readableJob(ctx, jobId);
	const rows = await ctx.db
		.select()
		.from(decision)
		.where(eq(decision.jobId, jobId))
		.orderBy(desc(decision.decidedAt), desc(decision.id))
		.limit(limit);
	return rows.map((r) => ({ ...r.explanation, id: r.id, attemptNumber: r.attemptNumber, reason: reasonView(r.explanation.reason) }));
}
