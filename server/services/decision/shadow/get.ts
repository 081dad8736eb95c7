import { and, desc, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { getShadowInput } from "#server/contract/inputs/backtest.ts";
import { job } from "#server/db/schema/job.ts";
import { type ShadowChoice, shadow, shadowDecision } from "#server/db/schema/shadow.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

const DIFFERENCES_MAX = 50;

export interface ShadowView {
	id: string;
	baseVersion: number;
	source: string;
	startedAt: string;
	startedBy: string;
	stoppedAt: string | null;
	/** Jobs decided by both, and how many of them they decided equally. */
	decided: number;
	agreed: number;
	/** Estimated cost of the draft's launches and of the published policy's launches, decimal micro-dollars. */
	publishedMicroUsd: string;
	draftMicroUsd: string;
	/** Newest first. */
	differences: { jobId: string; name: string; team: string; decidedAt: string; published: ShadowChoice; draft: ShadowChoice }[];
}

/** The shadow of a policy that runs or ran last; null when there never was one. */
export async function getShadow(ctx: ServiceContext, raw: z.input<typeof getShadowInput>): Promise<ShadowView | null> {
	authorize(ctx, "policy:edit", null);
	const { name } = getShadowInput.parse(raw);
	const [row] = await ctx.db.select().from(shadow).where(eq(shadow.policyName, name)).orderBy(desc(shadow.startedAt)).limit(1);
	if (!row) return null;
	const costOf = (who: "published" | "draft") => sql<string>`coalesce(sum((${shadowDecision[who]}->>'costMicroUsd')::bigint), 0)::text`;
	const [sums] = await ctx.db
		.select({
			decided: sql<number>`count(*)::int`,
			agreed: sql<number>`(count(*) filter (where ${shadowDecision.agrees}))::int`,
			published: costOf("published"),
			draft: costOf("draft"),
		})
		.from(shadowDecision)
		.where(eq(shadowDecision.shadowId, row.id));
	const differences = await ctx.db
		.select({ decision: shadowDecision, name: job.name, team: job.team })
		.from(shadowDecision)
		.innerJoin(job, eq(job.id, shadowDecision.jobId))
		.where(and(eq(shadowDecision.shadowId, row.id), eq(shadowDecision.agrees, false)))
		.orderBy(desc(shadowDecision.decidedAt))
		.limit(DIFFERENCES_MAX);
	return {
		id: row.id,
		baseVersion: row.baseVersion,
		source: row.source,
		startedAt: row.startedAt.toISOString(),
		startedBy: row.startedBy,
		stoppedAt: row.stoppedAt?.toISOString() ?? null,
		decided: sums?.decided ?? 0,
		agreed: sums?.agreed ?? 0,
		publishedMicroUsd: sums?.published ?? "0",
		draftMicroUsd: sums?.draft ?? "0",
		differences: differences.map(({ decision: d, name: jobName, team }) => ({
			...{ jobId: d.jobId, name: jobName, team, published: d.published, draft: d.draft },
			decidedAt: d.decidedAt.toISOString(),
		})),
	};
}
