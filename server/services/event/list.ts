import { desc, eq, inArray, isNull, or } from "drizzle-orm";
import { type EventKind, event } from "#server/db/schema/event.ts";
import { job } from "#server/db/schema/job.ts";
import type { Placement } from "#server/domain/capacity.ts";
import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { type ReasonView, reasonView } from "../job/view.ts";

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

/** What just happened, newest first, within what the actor may see. */
export async function listEvents(ctx: ServiceContext, input: { limit: number; jobId?: string }): Promise<EventView[]> {
	const scope = teamScope(ctx, "job:read");
	const mine = scope === null ? undefined : or(isNull(event.team), inArray(event.team, [...scope, ""]));
	const rows = await ctx.db
		.select({ event, name: job.name, placement: job.placement, cost: job.costMicroUsd })
		.from(event)
		.leftJoin(job, eq(job.id, event.jobId))
		.where(input.jobId === undefined ? mine : eq(event.jobId, input.jobId))
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
