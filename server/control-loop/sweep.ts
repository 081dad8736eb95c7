import { eq, inArray, sql } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { instance } from "#server/db/schema/instance.ts";
import { site } from "#server/db/schema/site.ts";
import { reason } from "#server/domain/reasons.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import { writeSchedulerAudit } from "#server/services/audit.ts";
import { recordEvents } from "#server/services/event/record.ts";
import { billedAfterItsEnd, type Look, launchedAt } from "./billed-time.ts";
import type { LoopContext } from "./context.ts";
import { isProcessEnd, messageOf } from "./messages.ts";
import { sweepRecord } from "./sweep-record.ts";

/** Regions in which machines live, or were asked for within so long, are swept too, though the site's settings may have left them since. */
const LEFT_REGIONS_MS = 30 * DAY_MS;

/**
 * Lists everything that carries our tag in every enabled region, and in those where machines were asked for lately, and
 * ends what no row accounts for. What a row accounts for is left to the sync; machines without our tag are never seen here.
 * Cost: one paged listing per region.
 */
export async function sweepCloud(ctx: LoopContext, driver: CloudDriver): Promise<{ orphans: number }> {
	const askedMs = ctx.clock.nowMs();
	const found = await driver.list(await regionsOfLate(ctx, driver.siteId, askedMs));
	const look = { askedMs, answeredMs: ctx.clock.nowMs() };
	const alive = found.instances.filter((i) => i.state !== "terminated");
	const rows = await knownRows(ctx, found.instances);
	for (const seen of found.instances) await meterWhatIsSeen(ctx, rows.get(seen.instanceId ?? ""), seen, look);
	const strays: InstanceObservation[] = [];
	for (const seen of alive) {
		const row = seen.instanceId === null ? undefined : rows.get(seen.instanceId);
		// A row without a provider id is a launch under way: its own sync will find this machine by its token.
		const accounted =
			row && row.state !== "terminated" && (row.providerInstanceId === null || row.providerInstanceId === seen.providerInstanceId);
		if (accounted) continue;
		strays.push(seen);
		await endOrphan(ctx, driver, seen);
	}
	const nowMs = ctx.clock.nowMs();
	const orphans = strays.length;
	const counts = { seen: alive.length, owned: alive.length - orphans, strays };
	await ctx.db.transaction(async (tx) => {
		const [before] = await tx.select({ lastSweep: site.lastSweep }).from(site).where(eq(site.id, driver.siteId)).for("update");
		await tx
			.update(site)
			.set({
				lastSweep: sweepRecord(before?.lastSweep ?? null, { nowMs, ...found, ...counts }),
				...(orphans > 0 ? { lastOrphanAt: new Date(nowMs) } : {}),
			})
			.where(eq(site.id, driver.siteId));
		await notify(tx, { changes: [{ topic: "site", id: driver.siteId, team: null }] });
	});
	return { orphans };
}

/** Region by region by the index, since a site has a few of these and may have had millions of machines. */
async function regionsOfLate(ctx: LoopContext, siteId: string, nowMs: number): Promise<string[]> {
	const since = new Date(nowMs - LEFT_REGIONS_MS).toISOString();
	const rows = await ctx.db.execute<{ region: string }>(sql`
		with recursive known(region) as (
			select min(region) from instance where site_id = ${siteId}
			union all
			select (select min(i.region) from instance i where i.site_id = ${siteId} and i.region > known.region) from known where known.region is not null
		)
		select region from known where region is not null and (
			(select i.intended_at from instance i where i.site_id = ${siteId} and i.region = known.region order by i.intended_at desc nulls first limit 1) > ${since}::timestamptz
			or region in (select i.region from instance i where i.site_id = ${siteId} and i.state <> 'terminated'))`);
	return rows.map(({ region }) => region);
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
