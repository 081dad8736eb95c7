import { sql } from "drizzle-orm";
import { z } from "zod";
import { instantMs } from "#server/contract/parts.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

const buckets = z.number().int().min(10).max(400).default(120);
/** A fixed range, or the time up to now, which a live screen requests repeatedly. */
export const demandInput = z.union([
	z.strictObject({ fromMs: instantMs, toMs: instantMs, buckets }),
	z.strictObject({ lastMs: z.number().int().positive(), buckets }),
]);
export type DemandInput = z.input<typeof demandInput>;

/** GPUs at the end of each bucket; `places` in a stable order. Sums: wanted = placed + waiting. */
export interface Demand {
	fromMs: number;
	toMs: number;
	ownedGpus: number;
	places: { siteId: string; provider: Provider; capacityType: CapacityType }[];
	points: { atMs: number; wanted: number; placed: number[]; waiting: number }[];
}

/**
 * Demand for GPUs over time, computed from the jobs and attempts themselves, so no sample is missing.
 * Cost: the jobs and attempts that overlap the range, once each, then one pass over the buckets in the database.
 */
export async function readDemand(ctx: ServiceContext, raw: DemandInput): Promise<Demand> {
	authorize(ctx, "capacity:read", null);
	const input = demandInput.parse(raw);
	const { buckets } = input;
	const toMs = "toMs" in input ? input.toMs : ctx.clock.nowMs();
	const fromMs = "fromMs" in input ? input.fromMs : toMs - input.lastMs;
	if (toMs <= fromMs || toMs - fromMs > 366 * DAY_MS)
		throw new SpillwayError("invalid_input", "The range must end after it starts, and be at most a year.");
	const stepMs = (toMs - fromMs) / buckets;
	const from = new Date(fromMs).toISOString();
	const to = new Date(toMs).toISOString();
	const wanted = await ctx.db.execute<{ s: string; e: string | null; gpus: number }>(sql`
		select extract(epoch from submitted_at) * 1000 as s, extract(epoch from finished_at) * 1000 as e, gpus
		from job where submitted_at < ${to}::timestamptz and (finished_at is null or finished_at > ${from}::timestamptz)`);
	const placed = await ctx.db.execute<{
		s: string;
		e: string | null;
		gpus: number;
		siteId: string;
		provider: Provider;
		capacityType: CapacityType;
	}>(sql`
		select extract(epoch from a.created_at) * 1000 as s, extract(epoch from a.finished_at) * 1000 as e, j.gpus,
			a.site_id as "siteId", a.placement->>'provider' as provider, a.capacity_type as "capacityType"
		from attempt a join job j on j.id = a.job_id
		where a.created_at < ${to}::timestamptz and (a.finished_at is null or a.finished_at > ${from}::timestamptz)`);
	const [owned] = await ctx.db.execute<{ gpus: number }>(
		sql`select coalesce(sum((nodes - nodes_to_come) * gpus_per_node), 0)::int as gpus from pool`,
	);
	const keys = [...new Set(placed.map((p) => `${p.siteId}|${p.provider}|${p.capacityType}`))].sort(
		(a, b) => rank(a) - rank(b) || a.localeCompare(b),
	);
	const wantedSteps = steps(wanted, fromMs, stepMs, buckets);
	const placedSteps = keys.map((key) =>
		steps(
			placed.filter((p) => `${p.siteId}|${p.provider}|${p.capacityType}` === key),
			fromMs,
			stepMs,
			buckets,
		),
	);
	return {
		fromMs,
		toMs,
		ownedGpus: owned?.gpus ?? 0,
		places: keys.map((key) => {
			const [siteId = "", provider, capacityType] = key.split("|");
			return { siteId, provider: provider as Provider, capacityType: capacityType as CapacityType };
		}),
		points: wantedSteps.map((w, i) => {
			const at = placedSteps.map((p) => p[i] ?? 0);
			const sum = at.reduce((a, b) => a + b, 0);
			return { atMs: Math.round(fromMs + (i + 1) * stepMs), wanted: Math.max(w, sum), placed: at, waiting: Math.max(0, w - sum) };
		}),
	};
}

/** Owned below, then reserved, on-demand, spot: the order in which the chart stacks them. */
function rank(key: string): number {
	return ["owned", "reserved", "on_demand", "spot"].indexOf(key.split("|")[2] ?? "");
}

/** GPUs held by these intervals at the end of each bucket. Cost: one pass over intervals and buckets. */
function steps(rows: readonly { s: string; e: string | null; gpus: number }[], fromMs: number, stepMs: number, buckets: number): number[] {
	const change = new Array<number>(buckets + 1).fill(0);
	const bucketOf = (ms: number): number => Math.min(buckets, Math.max(0, Math.ceil((ms - fromMs) / stepMs) - 1));
	for (const row of rows) {
		const first = bucketOf(Number(row.s));
		change[first] = (change[first] ?? 0) + row.gpus;
		if (row.e === null) continue;
		const last = bucketOf(Number(row.e));
		change[last] = (change[last] ?? 0) - row.gpus;
	}
	let held = 0;
	return Array.from({ length: buckets }, (_, i) => {
		held += change[i] ?? 0;
		return held;
	});
}
