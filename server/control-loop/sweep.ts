import { and, eq, inArray, isNotNull, ne, sql } from "drizzle-orm";
import { instance } from "#server/db/schema/instance.ts";
import { reason } from "#server/domain/reasons.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { CloudDriver, InstanceObservation } from "#server/providers/driver.ts";
import { endKept, liveKept, readKept } from "#server/services/capacity/instance/kept.ts";
import { recordBilledTime } from "#server/services/capacity/instance/record-observation.ts";
import { recordSweep } from "#server/services/capacity/site/record-sweep.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { recordEvents } from "#server/services/notification/event/record.ts";
import { billedAfterItsEnd, type Look, launchedAt } from "./billed-time.ts";
import type { LoopContext } from "./context.ts";
import { isProcessEnd, messageOf } from "./messages.ts";
import { sweepRecord } from "./sweep-record.ts";

/** Regions with machines launched within this time are swept even if the site's settings no longer include them. */
const RECENT_REGIONS_MS = 30 * DAY_MS;

/**
 * Lists all machines with our tag in every enabled and every recently used region, and terminates those without a row.
 * Machines with a row are left to the sync. Machines without our tag are never listed.
 * Cost: one paged listing per region.
 */
export async function sweepCloud(ctx: LoopContext, driver: CloudDriver): Promise<{ orphans: number }> {
	const askedMs = ctx.clock.nowMs();
	const found = await driver.list(await listRecentRegions(ctx, driver.siteId, askedMs));
	const look = { askedMs, answeredMs: ctx.clock.nowMs() };
	const alive = found.instances.filter((i) => i.state !== "terminated");
	const rows = await knownRows(ctx, found.instances);
	for (const seen of found.instances) await correctBilledTime(ctx, rows.get(seen.instanceId ?? ""), seen, look);
	const kept = await readKept(ctx.db);
	const strays = alive.filter((seen) => !isAccounted(rows, seen) && !kept.has(seen.providerInstanceId));
	const there = new Set(alive.map(({ providerInstanceId }) => providerInstanceId));
	const ofSite = [...kept].flatMap(([id, siteId]) => (siteId === driver.siteId ? [id] : []));
	const ended = [...ofSite, ...(await liveKept(ctx.db, driver.siteId))].filter((id) => !there.has(id));
	if (found.failedRegions.length === 0) await endKept(ctx.db, ended, { siteId: driver.siteId, nowMs: look.answeredMs });
	for (const seen of strays) await terminateOrphan(ctx, driver, seen);
	await deletePlacements(ctx, driver);
	const nowMs = ctx.clock.nowMs();
	const orphans = strays.length;
	const counts = { seen: alive.length, owned: alive.length - orphans, strays };
	await recordSweep(ctx.db, driver.siteId, {
		next: (before) => sweepRecord(before, { nowMs, ...found, ...counts }),
		orphansAt: orphans > 0 ? new Date(nowMs) : null,
	});
	return { orphans };
}

/**
 * Machines with our tag that no row accounts for, and rows without their machine. Nothing is changed.
 * @throws when a region does not answer
 */
export async function compareWithCloud(ctx: LoopContext, driver: CloudDriver): Promise<{ strays: InstanceObservation[]; missing: Row[] }> {
	const { siteId } = driver;
	const found = await driver.list(await listRecentRegions(ctx, siteId, ctx.clock.nowMs()));
	if (found.failedRegions.length > 0)
		throw new Error(`${siteId}: no answer from ${found.failedRegions.map(({ region }) => region).join(", ")}`);
	const alive = found.instances.filter(({ state }) => state !== "terminated");
	const [rows, kept] = [await knownRows(ctx, alive), await readKept(ctx.db)];
	const live = await ctx.db
		.select()
		.from(instance)
		.where(and(eq(instance.siteId, siteId), ne(instance.state, "terminated"), isNotNull(instance.providerInstanceId)));
	const seen = new Set(alive.map(({ providerInstanceId }) => providerInstanceId));
	return {
		strays: alive.filter((one) => !isAccounted(rows, one) && !kept.has(one.providerInstanceId)),
		missing: live.filter(({ providerInstanceId }) => providerInstanceId !== null && !seen.has(providerInstanceId)),
	};
}

function isAccounted(rows: ReadonlyMap<string, Row>, seen: InstanceObservation): boolean {
	const row = seen.instanceId === null ? undefined : rows.get(seen.instanceId);
	if (!row || row.state === "terminated") return false;
	// A row without a provider id is a launch in progress: its sync finds this machine by token.
	return row.providerInstanceId === null || row.providerInstanceId === seen.providerInstanceId;
}

/** Walks the index region by region: a site has few regions but may have had millions of machines. */
async function listRecentRegions(ctx: LoopContext, siteId: string, nowMs: number): Promise<string[]> {
	const since = new Date(nowMs - RECENT_REGIONS_MS).toISOString();
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

/** A machine that still exists although its row is closed costs money, which is charged to its job. */
async function correctBilledTime(ctx: LoopContext, row: Row | undefined, seen: InstanceObservation, look: Look): Promise<void> {
	if (row?.state !== "terminated" || (row.providerInstanceId ?? seen.providerInstanceId) !== seen.providerInstanceId) return;
	const launched = row.launchedAt ?? launchedAt(seen.launchedAtMs, row, look.answeredMs);
	const billed = billedAfterItsEnd({ ...row, launchedAt: launched }, seen.billing, look);
	if (billed.billedUntil === null || billed.billedUntil.getTime() === row.billedUntil?.getTime()) return;
	await recordBilledTime(ctx.db, row.id, billed);
}

async function terminateOrphan(ctx: LoopContext, driver: CloudDriver, seen: InstanceObservation): Promise<void> {
	const facts = { providerInstanceId: seen.providerInstanceId, region: seen.region, instanceType: seen.instanceType };
	ctx.log("error", "Terminating an orphan: a machine with our tag and no job", facts);
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
		ctx.log("error", "Could not terminate an orphan; the next sweep retries", { ...facts, error: messageOf(error) });
	}
}

/**
 * Deletes the placement groups of attempts without live machines. They are listed before the attempts are read: an attempt's rows are
 * written before its group is created, so a new group is never deleted. A failure waits for the next sweep, because groups cost nothing.
 */
async function deletePlacements(ctx: LoopContext, driver: CloudDriver): Promise<void> {
	const { placements, siteId } = driver;
	if (!placements) return;
	try {
		const found = await placements.list(await listRecentRegions(ctx, siteId, ctx.clock.nowMs()));
		if (found.length === 0) return;
		const live = await ctx.db
			.selectDistinct({ attemptId: instance.attemptId })
			.from(instance)
			.where(and(eq(instance.siteId, siteId), ne(instance.state, "terminated")));
		const needed = new Set(live.map(({ attemptId }) => attemptId));
		for (const placement of found) if (!needed.has(placement.attemptId)) await placements.delete(placement);
	} catch (error) {
		if (isProcessEnd(error)) throw error;
		ctx.log("warn", "Could not delete placement groups; the next sweep retries", { siteId, error: messageOf(error) });
	}
}
