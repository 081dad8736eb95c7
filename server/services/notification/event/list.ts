import { and, desc, eq, inArray, isNull, or } from "drizzle-orm";
import { type EventKind, event } from "#server/db/schema/event.ts";
import { job } from "#server/db/schema/job.ts";
import type { Placement } from "#server/domain/capacity.ts";
import { authorizeFound, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";
import { type ReasonView, reasonView } from "#server/services/core/view.ts";

export interface EventView {
	id: number;
	at: string;
	kind: EventKind;
	jobId: string | null;
	jobName: string | null;
	team: string | null;
	instanceId: string | null;
	siteId: string | null;
	placement: Placement | null;
	costMicroUsd: string | null;
	reason: ReasonView | null;
}

/**
 * Recent events, newest first, within the actor's permissions; with `jobId`, the events of that job.
 * @throws SpillwayError `not_found` for a job that is missing or another team's
 */
export async function listEvents(ctx: ServiceContext, input: { limit: number; jobId?: string }): Promise<EventView[]> {
	const scope = teamScope(ctx, "job:read");
	if (input.jobId !== undefined) await authorizeJob(ctx, input.jobId);
	const mine = scope === null ? undefined : or(isNull(event.team), inArray(event.team, [...scope, ""]));
	const rows = await ctx.db
		.select({ event, name: job.name, placement: job.placement, cost: job.costMicroUsd })
		.from(event)
		.leftJoin(job, eq(job.id, event.jobId))
		.where(and(mine, input.jobId === undefined ? undefined : eq(event.jobId, input.jobId)))
		.orderBy(desc(event.at), desc(event.id))
		.limit(input.limit);
	return rows.map((r) => ({
		id: r.event.id,
		at: r.event.at.toISOString(),
		kind: r.event.kind,
		jobId: r.event.jobId,
		jobName: r.name,
		team: r.event.team,
		instanceId: r.event.instanceId,
		siteId: r.event.siteId,
		placement: r.placement,
		costMicroUsd: r.cost?.toString() ?? null,
		reason: r.event.reason ? reasonView(r.event.reason) : null,
	}));
}

async function authorizeJob(ctx: ServiceContext, jobId: string): Promise<void> {
	const [row] = await ctx.db.select({ team: job.team }).from(job).where(eq(job.id, jobId));
	authorizeFound(ctx, "job:read", row, () => noJob(jobId));
}
