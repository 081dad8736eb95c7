import { and, asc, eq, gt, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { powerSteps } from "#server/accounting/carbon-card.ts";
import { meterOwnedUse, meterPool, type OwnedPool } from "#server/accounting/meter-pool.ts";
import type { Tx } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { hasOwnQueue } from "#server/domain/vocabulary.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { holdLedgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { homeGrid } from "#server/services/pricing/energy/home-grid.ts";
import { gridHoursOfPool, powerOfPool, withGridHours } from "#server/services/pricing/energy/power-facts.ts";
import { withElectricityHours } from "#server/services/pricing/owned/electricity-hours.ts";
import { cardsOfPool, effectiveCards, type PoolKey } from "#server/services/pricing/owned/pool-cards.ts";
import type { LedgerContext } from "./context.ts";
import { lockUses } from "./lock-uses.ts";
import { postCharges } from "./post-charges.ts";

/** A long outage is caught up in steps of this length, so that transactions stay bounded. */
const STEP_MS = 7 * DAY_MS;

/** A pool under its lock, with the grid zone for its hourly intensity. */
export type LockedPool = OwnedPool & { gridZone: string; nodesToCome: number; siteQueues: boolean };

export async function listPoolKeys(ctx: LedgerContext): Promise<PoolKey[]> {
	return ctx.db
		.select({ siteId: pool.siteId, poolId: pool.id })
		.from(pool)
		.innerJoin(site, and(eq(site.id, pool.siteId), isNull(site.removedAt)))
		.orderBy(asc(pool.siteId), asc(pool.id));
}

/**
 * Charges everything that happened on one pool up to now, used and idle together, step by step. Returns the charged allocations. The pool's
 * row is locked, as it is for placement, so the pool cannot change during the computation.
 */
export async function meterPoolUntilNow(ctx: LedgerContext, key: PoolKey): Promise<number> {
	const nowMs = ctx.clock.nowMs();
	const cacheKey: object = ctx.db;
	for (let count = 0; ; ) {
		const step = await ctx.db.transaction(async (tx) => {
			const owned = await lockPool(tx, key);
			if (!owned) return { untilMs: nowMs, uses: 0 };
			const fromMs = owned.idleMeteredUntilMs ?? owned.ownedSinceMs;
			const untilMs = Math.min(nowMs, fromMs + STEP_MS);
			const uses = await lockUses(tx, usesOfStep(owned, key, { fromMs, untilMs }));
			const grid = await gridHoursOfPool(tx, cacheKey, owned, uses, { fromMs, toMs: untilMs }, nowMs);
			const priced = await withElectricityHours(tx, owned, uses, { fromMs, toMs: untilMs });
			const metered = meterPool(withGridHours(priced, grid), uses, untilMs);
			await writeUses(tx, metered.usesMeteredUntilMs);
			await tx
				.update(pool)
				.set({ idleMeteredUntil: new Date(metered.idleMeteredUntilMs) })
				.where(and(eq(pool.siteId, key.siteId), eq(pool.id, key.poolId)));
			await postCharges(tx, metered.charges, nowMs);
			return { untilMs, uses: uses.length };
		});
		count += step.uses;
		if (step.untilMs >= nowMs) return count;
	}
}

/**
 * Charges one allocation up to now or its end, and corrects the pool's idle time accordingly. Returns false when the allocation does not
 * exist.
 */
export async function meterAllocation(ctx: LedgerContext, allocationId: string): Promise<boolean> {
	const [found] = await ctx.db
		.select({ siteId: allocation.siteId, poolId: allocation.poolId })
		.from(allocation)
		.where(eq(allocation.id, allocationId));
	if (!found) return false;
	const cacheKey: object = ctx.db;
	return ctx.db.transaction(async (tx) => {
		const owned = await lockPool(tx, found);
		if (!owned) return false;
		const [use] = await lockUses(tx, and(eq(allocation.id, allocationId), hasBegun(owned)));
		if (!use) return false;
		const nowMs = ctx.clock.nowMs();
		const grid = await gridHoursOfPool(tx, cacheKey, owned, [use], { fromMs: nowMs, toMs: nowMs }, nowMs);
		const priced = await withElectricityHours(tx, owned, [use], { fromMs: nowMs, toMs: nowMs });
		const { charges, meteredUntilMs } = meterOwnedUse(withGridHours(priced, grid), use, nowMs);
		await writeUses(tx, new Map([[allocationId, meteredUntilMs]]));
		await postCharges(tx, charges, nowMs);
		return true;
	});
}

/** Locks the pool as the meter and placement do. Null when it does not exist. */
export async function lockPool(tx: Tx, key: PoolKey): Promise<LockedPool | null> {
	const [row] = await tx
		.select({ pool, provider: site.provider, settings: site.settings })
		.from(pool)
		.innerJoin(site, eq(site.id, pool.siteId))
		.where(and(eq(pool.siteId, key.siteId), eq(pool.id, key.poolId)))
		.for("no key update", { of: pool });
	if (!row) return null;
	const calendar = await holdLedgerCalendar(tx);
	const cards = await effectiveCards(tx, key, calendar);
	// A card covers the whole pool; a price per GPU-hour covers the existing GPUs.
	const gpus = (row.pool.nodes - (cards.length > 0 ? 0 : row.pool.nodesToCome)) * row.pool.gpusPerNode;
	const power = powerOfPool({ ...row.pool, siteSettings: row.settings });
	return {
		poolId: row.pool.id,
		gpus,
		nodesToCome: row.pool.nodesToCome,
		siteQueues: hasOwnQueue(row),
		microUsdPerGpuHour: row.pool.microUsdPerGpuHour,
		cards,
		calendar,
		ownedSinceMs: row.pool.ownedSince.getTime(),
		idleMeteredUntilMs: row.pool.idleMeteredUntil?.getTime() ?? null,
		power,
		powerSteps: powerSteps(await cardsOfPool(tx, key), { gpus, power }, calendar),
		gridZone: homeGrid(row.settings).zone,
		place: { siteId: row.pool.siteId, provider: row.provider, region: "", accelerator: row.pool.accelerator },
	};
}

/** Jobs of a site's own queue hold no GPU before they start; their start time is known then. */
function hasBegun({ siteQueues }: LockedPool): SQL | undefined {
	if (!siteQueues) return undefined;
	return sql`exists (select from ${attempt} where ${attempt.id} = ${allocation.attemptId}
		and (${attempt.startedAt} is not null or ${attempt.finishedAt} is not null))`;
}

/** Every allocation that overlaps the step, or began before its end and is not yet charged to its own end. */
function usesOfStep(owned: LockedPool, key: PoolKey, step: { fromMs: number; untilMs: number }): SQL | undefined {
	return and(
		eq(allocation.siteId, key.siteId),
		eq(allocation.poolId, key.poolId),
		hasBegun(owned),
		lt(allocation.startedAt, new Date(step.untilMs)),
		or(
			isNull(allocation.endedAt),
			isNull(allocation.meteredUntil),
			ne(allocation.meteredUntil, allocation.endedAt),
			gt(allocation.endedAt, new Date(step.fromMs)),
		),
	);
}

async function writeUses(tx: Tx, untilMs: ReadonlyMap<string, number>): Promise<void> {
	if (untilMs.size === 0) return;
	const rows = [...untilMs].map(([id, ms]) => ({ id, until: new Date(ms).toISOString() }));
	// Treat an end before the start as zero length, but write the end itself: "charged to its end" is derived from it.
	await tx.execute(sql`
		update allocation set metered_until = case when ended_at < started_at then ended_at else m.until end
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as m(id text, until timestamptz)
		where allocation.id = m.id`);
}
