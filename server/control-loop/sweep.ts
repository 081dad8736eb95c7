import { eq, inArray } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import { reason } from "#server/domain/reasons.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import { writeSchedulerAudit } from "#server/services/audit.ts";
import { recordEvents } from "#server/services/event/record.ts";
import type { LoopContext } from "./context.ts";
import { isProcessEnd, messageOf } from "./messages.ts";

/**
 * Lists everything that carries our tag in every enabled region and ends what no row accounts for. What a row accounts
 * for is left to the sync; machines without our tag are never seen here. Cost: one paged listing per region.
 */
export async function sweepCloud(ctx: LoopContext, driver: CloudDriver): Promise<{ orphans: number }> {
	const found = await driver.list();
	const alive = found.instances.filter((i) => i.state !== "terminated");
	const rows = await knownRows(ctx, alive);
	let orphans = 0;
	let owned = 0;
	for (const seen of alive) {
		const row = seen.instanceId === null ? undefined : rows.get(seen.instanceId);
		// A row without a provider id is a launch under way: its own sync will find this machine by its token.
		const accounted =
			row && row.state !== "terminated" && (row.providerInstanceId === null || row.providerInstanceId === seen.providerInstanceId);
		if (accounted) {
			owned++;
			continue;
		}
		orphans++;
		await endOrphan(ctx, driver, seen);
	}
	const nowMs = ctx.clock.nowMs();
	await ctx.db.transaction(async (tx) => {
		await tx
			.update(site)
			.set({
				lastSweep: { atMs: nowMs, regions: found.sweptRegions, failedRegions: found.failedRegions, seen: alive.length, owned, orphans },
				...(orphans > 0 ? { lastOrphanAt: new Date(nowMs) } : {}),
			})
			.where(eq(site.id, driver.siteId));
		await notify(tx, { changes: [{ topic: "site", id: driver.siteId, team: null }] });
	});
	return { orphans };
}

async function knownRows(
	ctx: LoopContext,
	alive: readonly InstanceObservation[],
): Promise<Map<string, { state: string; providerInstanceId: string | null }>> {
	const ids = alive.flatMap((i) => (i.instanceId === null ? [] : [i.instanceId]));
	if (ids.length === 0) return new Map();
	const rows = await ctx.db
		.select({ id: instance.id, state: instance.state, providerInstanceId: instance.providerInstanceId })
		.from(instance)
		.where(inArray(instance.id, ids));
	return new Map(rows.map((r) => [r.id, r]));
}

async function endOrphan(ctx: LoopContext, driver: CloudDriver, seen: InstanceObservation): Promise<void> {
	const facts = { providerInstanceId: seen.providerInstanceId, region: seen.region, instanceType: seen.instanceType };
	ctx.log("error", "a machine with our tag belongs to no job and is ended", facts);
	try {
		await driver.terminate(seen.region, seen.providerInstanceId);
		await writeSchedulerAudit(ctx.db, {
			...{ action: "orphan.terminate", subject: seen.providerInstanceId, atMs: ctx.clock.nowMs() },
			after: { siteId: driver.siteId, ...facts },
		});
		await recordEvents(ctx.db, [
			{ kind: "orphan_terminated", atMs: ctx.clock.nowMs(), siteId: driver.siteId, reason: reason("orphan_found", facts) },
		]);
	} catch (error) {
		if (isProcessEnd(error)) throw error;
		ctx.log("error", "an orphan could not be ended; the next sweep tries again", { ...facts, error: messageOf(error) });
	}
}
