import { and, asc, eq, ne, sql } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import type { Look } from "./billed-time.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

/** An instance that is not terminated, with fields of its attempt and job. */
export type LiveInstance = typeof instance.$inferSelect & {
	/** Null while it is kept warm without a job. */
	attemptState: (typeof attempt.$inferSelect)["state"] | null;
	stopRequestedAt: Date | null;
	stopReason: (typeof attempt.$inferSelect)["stopReason"];
	/** Its command, or that of another machine of its gang, has run. */
	attemptStartedAt: Date | null;
	/** Machines of its attempt: 1, or those of a gang. */
	nodes: number;
	/** `high`: the job's machines need a high-bandwidth network between them. */
	interconnect: "high" | null;
};

/** It was stopped by our call, and its agent has not been heard since it was started again, if it was. */
export function isOffOnPurpose({ stopCalledAt, startCalledAt, lastHeardAt }: LiveInstance): boolean {
	return stopCalledAt !== null && (startCalledAt === null || lastHeardAt === null || lastHeardAt <= startCalledAt);
}

/** The instances of a site that our records call alive, oldest first. */
export async function readLive(ctx: LoopContext, siteId: string): Promise<LiveInstance[]> {
	const rows = await ctx.db
		.select({
			instance,
			attemptState: attempt.state,
			stopRequestedAt: attempt.stopRequestedAt,
			stopReason: attempt.stopReason,
			attemptStartedAt: attempt.startedAt,
			nodes: sql<number>`coalesce((${job.spec}->>'nodes')::int, 1)`,
			interconnect: sql<"high" | null>`${job.spec}->>'interconnect'`,
		})
		.from(instance)
		.leftJoin(attempt, eq(attempt.id, instance.attemptId))
		.leftJoin(job, eq(job.id, instance.jobId))
		.where(and(eq(instance.siteId, siteId), ne(instance.state, "terminated")))
		.orderBy(asc(instance.id));
	return rows.map(({ instance: row, ...facts }) => ({ ...row, ...facts }));
}

/** Answers of a region that failed are absent from `looks`: nothing may be concluded from its silence. */
export interface Described {
	byProviderId: Map<string, InstanceObservation>;
	looks: Map<string, Look>;
}

/** The provider's view of them. Cost: one describe per region with one of these machines. */
export async function describeLive(ctx: LoopContext, driver: CloudDriver, live: readonly LiveInstance[]): Promise<Described> {
	const idsByRegion = new Map<string, string[]>();
	for (const row of live) {
		if (row.providerInstanceId === null) continue;
		idsByRegion.set(row.region, [...(idsByRegion.get(row.region) ?? []), row.providerInstanceId]);
	}
	const out: Described = { byProviderId: new Map(), looks: new Map() };
	await Promise.all(
		[...idsByRegion].map(async ([region, ids]) => {
			const askedMs = ctx.clock.nowMs();
			try {
				for (const seen of await driver.describe(region, ids)) out.byProviderId.set(seen.providerInstanceId, seen);
				out.looks.set(region, { askedMs, answeredMs: ctx.clock.nowMs() });
			} catch (error) {
				ctx.log("warn", "a region could not be read", { siteId: driver.siteId, region, error: messageOf(error) });
			}
		}),
	);
	return out;
}
