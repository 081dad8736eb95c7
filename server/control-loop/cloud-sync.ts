import { and, eq, ne } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import type { LoopContext } from "./context.ts";
import { launchInstance, resolveUnknownLaunch } from "./launch.ts";
import { isProcessEnd, messageOf } from "./messages.ts";
import { absorbObservation, checkDeadlines, endInstance } from "./observe-instance.ts";

/** Calls to one provider that are under way at the same time. */
const PARALLEL_CALLS = 16;

export type LiveInstance = typeof instance.$inferSelect & {
	attemptState: (typeof attempt.$inferSelect)["state"];
	stopRequestedAt: Date | null;
	stopReason: (typeof attempt.$inferSelect)["stopReason"];
};

/**
 * Brings the database and one cloud together: makes the calls that intents ask for, writes what the provider says of
 * each instance, and ends every instance whose attempt is over. Each instance is handled on its own: one that fails
 * does not keep the others waiting. Cost: one describe per region with live instances, plus one call per change.
 */
export async function syncCloud(ctx: LoopContext, driver: CloudDriver): Promise<void> {
	const live = await readLive(ctx, driver.siteId);
	if (live.length === 0) return;
	const observed = await describeAll(ctx, driver, live);
	await inParallel(live, async (row) => {
		try {
			await syncInstance(ctx, driver, row, observed);
		} catch (error) {
			if (isProcessEnd(error)) throw error;
			ctx.log("error", "an instance could not be brought up to date", { instanceId: row.id, error: messageOf(error) });
		}
	});
}

async function readLive(ctx: LoopContext, siteId: string): Promise<LiveInstance[]> {
	const rows = await ctx.db
		.select({ instance, attemptState: attempt.state, stopRequestedAt: attempt.stopRequestedAt, stopReason: attempt.stopReason })
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.where(and(eq(instance.siteId, siteId), ne(instance.state, "terminated")));
	return rows.map((r) => ({ ...r.instance, attemptState: r.attemptState, stopRequestedAt: r.stopRequestedAt, stopReason: r.stopReason }));
}

/** Answers of a region that failed are absent from `regions`: nothing may be concluded from its silence. */
export interface Described {
	byProviderId: Map<string, InstanceObservation>;
	regions: Set<string>;
}

async function describeAll(ctx: LoopContext, driver: CloudDriver, live: readonly LiveInstance[]): Promise<Described> {
	const idsByRegion = new Map<string, string[]>();
	for (const row of live) {
		if (row.providerInstanceId === null) continue;
		idsByRegion.set(row.region, [...(idsByRegion.get(row.region) ?? []), row.providerInstanceId]);
	}
	const out: Described = { byProviderId: new Map(), regions: new Set() };
	await Promise.all(
		[...idsByRegion].map(async ([region, ids]) => {
			try {
				for (const seen of await driver.describe(region, ids)) out.byProviderId.set(seen.providerInstanceId, seen);
				out.regions.add(region);
			} catch (error) {
				ctx.log("warn", "a region could not be read", { siteId: driver.siteId, region, error: messageOf(error) });
			}
		}),
	);
	return out;
}

async function syncInstance(ctx: LoopContext, driver: CloudDriver, row: LiveInstance, described: Described): Promise<void> {
	if (row.providerInstanceId === null) {
		return wanted(row) ? launchInstance(ctx, driver, row) : resolveUnknownLaunch(ctx, driver, row);
	}
	const gone = await absorbObservation(ctx, row, described);
	if (gone) return;
	const fit = await checkDeadlines(ctx, row);
	if (!fit || row.state === "terminating" || !wanted(row) || mustBeEndedByForce(ctx, row)) await endInstance(ctx, driver, row);
}

/** While its attempt lives an instance is wanted; a stopping attempt still needs it to save its checkpoint. */
function wanted(row: LiveInstance): boolean {
	if (row.state === "terminating") return false;
	if (row.attemptState === "starting" || row.attemptState === "staging" || row.attemptState === "running") return true;
	return row.attemptState === "stopping" && row.readyAt !== null;
}

/** The agent had its grace and more, and its command still is not reported over. */
function mustBeEndedByForce(ctx: LoopContext, row: LiveInstance): boolean {
	if (row.stopRequestedAt === null) return false;
	// An attempt is told to save shortly before its machine's life is over; past that there is nobody to wait for.
	const over = row.stopReason?.code === "agent_silent" || ctx.clock.nowMs() >= row.expiresAt.getTime();
	return over || ctx.clock.nowMs() - row.stopRequestedAt.getTime() > 2 * ctx.timing.stopGraceMs + ctx.timing.callRetryMs;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const queue = [...items];
	const worker = async (): Promise<void> => {
		for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
	};
	await Promise.all(Array.from({ length: Math.min(PARALLEL_CALLS, items.length) }, worker));
}
