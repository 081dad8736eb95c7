import { and, desc, eq, sql } from "drizzle-orm";
import { adoption } from "#server/db/schema/adoption.ts";
import { foreignJob } from "#server/db/schema/foreign-job.ts";
import { site } from "#server/db/schema/site.ts";
import type { AdoptionState } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { iso } from "#server/services/core/view.ts";

/** Rows per answer. */
const MOST = 1_000;

interface QueuedForeignJob {
	id: string;
	name: string;
	user: string;
	partition: string;
	poolId: string | null;
	state: "waiting" | "held" | "running";
	waitingReason: string | null;
	nodes: number;
	gpus: number;
	/** Its position among waiting jobs; 0 starts next. */
	position: number | null;
	submittedAt: string | null;
	startedAt: string | null;
	timeLimitMs: number | null;
	dependsOn: string | null;
	/** Whether its owner allows adoption. */
	optedIn: boolean;
	/** Its newest adoption, and the Spillway job that represents it. */
	adoption: { id: string; state: AdoptionState; jobId: string; why: string | null; problem: string | null } | null;
	/** Why it is not adopted although it could be, as sentences. */
	notAdopted: string[];
}

/**
 * A site's own queue without Spillway's jobs: running jobs, then waiting jobs in the site's order.
 * @throws SpillwayError `not_found`, `forbidden`.
 */
export async function listForeignJobs(
	ctx: ServiceContext,
	siteId: string,
): Promise<{ items: QueuedForeignJob[]; total: number; readAt: string | null }> {
	authorize(ctx, "capacity:read", null);
	const [found] = await ctx.db.select({ readAt: site.queueReadAt }).from(site).where(eq(site.id, siteId));
	if (!found) throw new SpillwayError("not_found", `There is no site ${siteId}.`, { fix: "List sites with: spillway sites" });
	const position = sql`(${foreignJob.facts}->>'position')::integer`;
	const rows = await ctx.db
		.select()
		.from(foreignJob)
		.where(eq(foreignJob.siteId, siteId))
		.orderBy(sql`${position} nulls first`, foreignJob.id)
		.limit(MOST);
	const total = await ctx.db.$count(foreignJob, eq(foreignJob.siteId, siteId));
	const adoptions = await ctx.db
		.selectDistinctOn([adoption.foreignId])
		.from(adoption)
		.where(and(eq(adoption.siteId, siteId), sql`${adoption.foreignId} = any(${sql.param(rows.map((r) => r.id))}::text[])`))
		.orderBy(adoption.foreignId, desc(adoption.offeredAt));
	const adopted = new Map(adoptions.map((a) => [a.foreignId, a]));
	const items = rows.map(({ facts, notAdopted }): QueuedForeignJob => {
		const { slots: _, optIn, holdMark: __, array: ___, groupId: ____, submittedAtMs, startedAtMs, ...rest } = facts;
		const a = adopted.get(facts.id);
		return {
			...rest,
			submittedAt: submittedAtMs === null ? null : iso(new Date(submittedAtMs)),
			startedAt: startedAtMs === null ? null : iso(new Date(startedAtMs)),
			optedIn: optIn !== null,
			adoption: a ? { id: a.id, state: a.state, jobId: a.jobId, why: a.why, problem: a.problem ?? a.output?.problem ?? null } : null,
			notAdopted: notAdopted?.why ?? [],
		};
	});
	return { items, total, readAt: iso(found.readAt) };
}
