import { and, desc, eq, inArray, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { listInstancesInput } from "#server/contract/inputs/capacity.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { decodeCursor, encodeCursor } from "#server/services/core/cursor.ts";
import { type InstanceView, instanceView } from "./view.ts";

export type ListInstancesInput = z.input<typeof listInstancesInput>;

/** Instances, newest first. A data scientist sees those of their teams' jobs. */
export async function listInstances(
	ctx: ServiceContext,
	raw: ListInstancesInput,
): Promise<{ items: InstanceView[]; nextCursor: string | null }> {
	const input = listInstancesInput.parse(raw);
	const scope = teamScope(ctx, "instance:read");
	const conditions: (SQL | undefined)[] = [
		// A machine without a job belongs to no team.
		scope === null ? undefined : or(isNull(instance.jobId), inArray(job.team, [...scope, ""])),
		input.state.length > 0 ? inArray(instance.state, input.state) : undefined,
		input.live ? ne(instance.state, "terminated") : undefined,
		input.jobId ? eq(instance.jobId, input.jobId) : undefined,
	];
	if (input.cursor) {
		const { atMs, id } = decodeCursor(input.cursor);
		conditions.push(sql`(${instance.intendedAt}, ${instance.id}) < (${new Date(atMs).toISOString()}::timestamptz, ${id})`);
	}
	const rows = await ctx.db
		.select({ instance, name: job.name, team: job.team, nodes: sql<number | null>`(${job.spec}->>'nodes')::int` })
		.from(instance)
		.leftJoin(job, eq(job.id, instance.jobId))
		.where(and(...conditions))
		.orderBy(desc(instance.intendedAt), desc(instance.id))
		.limit(input.limit + 1);
	const page = rows.slice(0, input.limit);
	const last = page.at(-1)?.instance;
	return {
		items: page.map((r) => instanceView(r.instance, r, { seesAll: scope === null })),
		nextCursor: rows.length > input.limit && last ? encodeCursor(last.intendedAt.getTime(), last.id) : null,
	};
}
