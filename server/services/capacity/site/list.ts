import { asc, eq, isNull, ne, sql } from "drizzle-orm";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { isCloudProvider, type Provider } from "#server/domain/vocabulary.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { iso } from "#server/services/core/view.ts";
import { MARGINAL_PRICE } from "../instance/marginal-price.ts";
import { poolSpeed } from "./pool-speed.ts";

export interface SlotView {
	slot: number;
	state: "busy" | "free" | "unavailable";
	jobId: string | null;
	jobName: string | null;
	team: string | null;
}

export interface PoolDetail {
	id: string;
	accelerator: string;
	nodes: number;
	/** Of `nodes`, those that do not exist now and that the cluster's autoscaler would add for a job. */
	nodesToCome: number;
	/** Whether it recently added no node although a job requested one. Jobs are not placed on such nodes until the next request. */
	noneComes: boolean;
	gpusPerNode: number;
	/** GPUs that exist, or that jobs hold on nodes being added. */
	gpus: number;
	busy: number;
	unavailable: number;
	microUsdPerGpuHour: string;
	/** Job speed here relative to a machine of speed 1 (the site's setting `speeds`). */
	speed: number;
	/** Individual slots for a pool of at most SLOTS_LISTED_MAX GPUs; empty for a larger one, with its nodes listed in pages. */
	slots: SlotView[];
	/** The jobs that hold slots, in the order of their first slots. */
	holders: { jobId: string; jobName: string; team: string; slots: number[] }[];
}

/** Slots of a larger pool take 70 bytes each in every answer: at 5,000 nodes of eight GPUs 2.8 MB and 30 ms of processor time. */
const SLOTS_LISTED_MAX = 1_024;

export interface SiteView {
	id: string;
	name: string;
	provider: Provider;
	kind: "owned" | "cloud";
	enabled: boolean;
	healthy: boolean;
	healthMessage: string | null;
	lastSeenAt: string | null;
	/** GPUs in use: allocated slots at home, GPUs of live instances in a cloud. */
	gpusBusy: number;
	/** GPUs owned; null for a cloud. */
	gpusTotal: number | null;
	instancesLive: number;
	burnMicroUsdPerHour: string;
	regions: string[];
	pools: PoolDetail[];
	lastSweep: (typeof site.$inferSelect)["lastSweep"];
	lastOrphanAt: string | null;
}

/** All sites with their current work. */
export async function listSites(ctx: ServiceContext): Promise<SiteView[]> {
	authorize(ctx, "capacity:read", null);
	const [sites, pools, open, live] = await Promise.all([
		ctx.db.select().from(site).where(isNull(site.removedAt)).orderBy(asc(site.id)),
		ctx.db.select().from(pool).orderBy(asc(pool.id)),
		ctx.db
			.select({
				siteId: allocation.siteId,
				poolId: allocation.poolId,
				slots: allocation.slots,
				jobId: job.id,
				jobName: job.name,
				team: job.team,
			})
			.from(allocation)
			.innerJoin(attempt, eq(attempt.id, allocation.attemptId))
			.innerJoin(job, eq(job.id, allocation.jobId))
			.where(isNull(allocation.endedAt)),
		ctx.db
			.select({
				siteId: instance.siteId,
				count: sql<number>`count(*)::int`,
				gpus: sql<number>`sum(${instance.gpus})::int`,
				burn: sql<string>`sum(${MARGINAL_PRICE})::text`,
			})
			.from(instance)
			.where(ne(instance.state, "terminated"))
			.groupBy(instance.siteId),
	]);
	return sites.map((s) => {
		const own = pools
			.filter((p) => p.siteId === s.id)
			.map((p) =>
				poolDetail(
					p,
					poolSpeed(s.settings, p),
					open.filter((o) => o.siteId === s.id && o.poolId === p.id),
				),
			);
		const running = live.find((l) => l.siteId === s.id);
		const cloud = isCloudProvider(s.provider);
		return {
			id: s.id,
			name: s.name,
			provider: s.provider,
			kind: cloud ? ("cloud" as const) : ("owned" as const),
			enabled: s.enabled,
			healthy: s.healthy,
			healthMessage: s.healthMessage,
			lastSeenAt: iso(s.lastSeenAt),
			gpusBusy: cloud ? (running?.gpus ?? 0) : own.reduce((sum, p) => sum + p.busy, 0),
			gpusTotal: cloud ? null : own.reduce((sum, p) => sum + p.gpus, 0),
			instancesLive: running?.count ?? 0,
			burnMicroUsdPerHour: running?.burn ?? "0",
			regions: Array.isArray(s.settings.regions) ? s.settings.regions.map(String) : [],
			pools: own,
			lastSweep: s.lastSweep,
			lastOrphanAt: iso(s.lastOrphanAt),
		};
	});
}

function poolDetail(
	row: typeof pool.$inferSelect,
	speed: number,
	open: readonly { slots: number[]; jobId: string; jobName: string; team: string }[],
): PoolDetail {
	const all = row.nodes * row.gpusPerNode;
	const holder = new Map(open.flatMap((o) => o.slots.filter((slot) => slot < all).map((slot) => [slot, o] as const)));
	const unavailable = new Set(row.unavailableSlots.filter((slot) => slot < all && !holder.has(slot)));
	const isFree = (slot: number): boolean => !holder.has(slot) && !unavailable.has(slot);
	// Slots are only counted, so any free slots represent the absent nodes; while no node can be added, any unavailable slots do.
	const absentOnes = row.noneComes ? unavailable.size : all - holder.size - unavailable.size;
	const absent = Math.min(row.nodesToCome * row.gpusPerNode, absentOnes);
	const gpus = all - absent;
	const listed = gpus > SLOTS_LISTED_MAX ? [] : Array.from({ length: all }, (_, slot) => slot);
	const left = new Set(absent === 0 ? [] : listed.filter((slot) => (row.noneComes ? unavailable.has(slot) : isFree(slot))).slice(-absent));
	const slots = listed
		.filter((slot) => !left.has(slot))
		.map((slot): SlotView => {
			const by = holder.get(slot);
			const state = by ? "busy" : isFree(slot) ? "free" : "unavailable";
			return { slot, state, jobId: by?.jobId ?? null, jobName: by?.jobName ?? null, team: by?.team ?? null };
		});
	const firstOf = (held: readonly number[]): number => Math.min(...held);
	return {
		id: row.id,
		accelerator: row.accelerator,
		nodes: row.nodes,
		nodesToCome: row.nodesToCome,
		noneComes: row.noneComes,
		gpusPerNode: row.gpusPerNode,
		gpus,
		busy: holder.size,
		unavailable: unavailable.size - (row.noneComes ? absent : 0),
		microUsdPerGpuHour: row.microUsdPerGpuHour.toString(),
		speed,
		slots,
		holders: open
			.map(({ jobId, jobName, team, slots: held }) => ({ jobId, jobName, team, slots: held }))
			.sort((a, b) => firstOf(a.slots) - firstOf(b.slots)),
	};
}
