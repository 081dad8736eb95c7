import { eq, inArray } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import { reason } from "#server/domain/reasons.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import { writeSchedulerAudit } from "#server/services/audit.ts";
import { recordEvents } from "#server/services/event/record.ts";
import { billedAfterItsEnd, type Look, launchedAt } from "./billed-time.ts";
import type { LoopContext } from "./context.ts";
import { isProcessEnd, messageOf } from "./messages.ts";

/**
 * Lists everything that carries our tag in every enabled region and ends what no row accounts for. What a row accounts
 * for is left to the sync; machines without our tag are never seen here. Cost: one paged listing per region.
 */
export async function sweepCloud(ctx: LoopContext, driver: CloudDriver): Promise<{ orphans: number }> {
	const askedMs = ctx.clock.nowMs();
	const found = await driver.list();
	const look = { askedMs, answeredMs: ctx.clock.nowMs() };
	const alive = found.instances.filter((i) => i.state !== "terminated");
	const rows = await knownRows(ctx, found.instances);
	for (const seen of found.instances) await meterWhatIsSeen(ctx, rows.get(seen.instanceId ?? ""), seen, look);
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

type Row = typeof instance.$inferSelect;

async function knownRows(ctx: LoopContext, machines: readonly InstanceObservation[]): Promise<Map<string, Row>> {
	const ids = machines.flatMap((i) => (i.instanceId === null ? [] : [i.instanceId]));
	if (ids.length === 0) return new Map();
	const rows = await ctx.db.select().from(instance).where(inArray(instance.id, ids));
	return new Map(rows.map((r) => [r.id, r]));
}

/** A machine that is there although its row is closed costs money all the same, and is charged to the job that it was made for. */
async function meterWhatIsSeen(ctx: LoopContext, row: Row | undefined, seen: InstanceObservation, look: Look): Promise<void> {
	if (row?.state !== "terminated" || (row.providerInstanceId ?? seen.providerInstanceId) !== seen.providerInstanceId) return;
	const launched = row.launchedAt ?? launchedAt(seen.launchedAtMs, row, look.answeredMs);
	const billed = billedAfterItsEnd({ ...row, launchedAt: launched }, seen.billing, look);
	if (billed.billedUntil === null || billed.billedUntil.getTime() === row.billedUntil?.getTime()) return;
	await ctx.db.update(instance).set(billed).where(eq(instance.id, row.id));
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
