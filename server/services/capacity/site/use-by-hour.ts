import { asc, eq, isNull, sql } from "drizzle-orm";
import { pool, site } from "#server/db/schema/site.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

const HOURS = 24;
/** Pools with more nodes are shown as one row. */
const NODES_SHOWN = 32;

/**
 * Shares are 0 to 1, one per hour; null before the pool was owned. The newest hour is the current one: its share covers the
 * elapsed part.
 */
export interface HourlyUse {
	/** Start of the first hour, whole UTC hours. */
	fromMs: number;
	hours: number;
	pools: {
		siteId: string;
		siteName: string;
		poolId: string;
		accelerator: string;
		gpus: number;
		shares: (number | null)[];
		/** In slot order; empty for too many nodes to show, and for a single one. */
		nodes: { node: number; shares: (number | null)[] }[];
	}[];
}

/**
 * Share of each owned pool held by Spillway's jobs in each of the last 24 hours, computed from the allocations, not sampled. Jobs submitted
 * directly to the cluster are not included, and a held slot may still be idle. Cost: the allocations that overlap the day × their slots ×
 * the hours they span, in the database.
 */
export async function readUseByHour(ctx: ServiceContext): Promise<HourlyUse> {
	authorize(ctx, "capacity:read", null);
	const nowMs = ctx.clock.nowMs();
	const fromMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
	const [pools, held] = await Promise.all([
		ctx.db
			.select({ row: pool, siteName: site.name })
			.from(pool)
			.innerJoin(site, eq(site.id, pool.siteId))
			.where(isNull(site.removedAt))
			.orderBy(asc(pool.siteId), asc(pool.id)),
		readHeld(ctx, fromMs, nowMs),
	]);
	return {
		fromMs,
		hours: HOURS,
		pools: pools.map(({ row, siteName }) => {
			const own = held.filter((h) => h.siteId === row.siteId && h.poolId === row.id);
			const sharesOf = (gpus: number, node: number | null): (number | null)[] =>
				Array.from({ length: HOURS }, (_, hour) => {
					const startMs = Math.max(fromMs + hour * HOUR_MS, row.ownedSince.getTime());
					const lengthMs = Math.min(nowMs, fromMs + (hour + 1) * HOUR_MS) - startMs;
					if (lengthMs <= 0 || gpus === 0) return null;
					const heldMs = own.reduce((sum, h) => (h.hour === hour && (node === null || h.node === node) ? sum + h.ms : sum), 0);
					return Math.min(1, heldMs / (lengthMs * gpus));
				});
			const listed = row.nodes > 1 && row.nodes <= NODES_SHOWN ? row.nodes : 0;
			return {
				siteId: row.siteId,
				siteName,
				poolId: row.id,
				accelerator: row.accelerator,
				gpus: row.nodes * row.gpusPerNode,
				shares: sharesOf(row.nodes * row.gpusPerNode, null),
				nodes: Array.from({ length: listed }, (_, node) => ({ node, shares: sharesOf(row.gpusPerNode, node) })),
			};
		}),
	};
}

type Held = { siteId: string; poolId: string; node: number; hour: number; ms: number };

/** Slot-milliseconds by node and hour. */
async function readHeld(ctx: ServiceContext, fromMs: number, nowMs: number): Promise<Held[]> {
	const from = new Date(fromMs).toISOString();
	const now = new Date(nowMs).toISOString();
	return await ctx.db.execute<Held>(sql`
		select a.site_id as "siteId", a.pool_id as "poolId", s.slot / greatest(1, p.gpus_per_node) as node, h.hour,
			sum(extract(epoch from least(coalesce(a.ended_at, ${now}::timestamptz), h.starts + interval '1 hour', ${now}::timestamptz)
				- greatest(a.started_at, h.starts)) * 1000)::float8 as ms
		from allocation a
		join pool p on p.site_id = a.site_id and p.id = a.pool_id
		cross join lateral unnest(a.slots) as s(slot)
		join (
			select i as hour, ${from}::timestamptz + i * interval '1 hour' as starts from generate_series(0, ${HOURS - 1}) as i
		) h on h.starts < coalesce(a.ended_at, ${now}::timestamptz) and h.starts + interval '1 hour' > a.started_at
		where (a.ended_at is null or a.ended_at > ${from}::timestamptz) and a.started_at < ${now}::timestamptz
		group by 1, 2, 3, 4`);
}
