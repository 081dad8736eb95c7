import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import { setting } from "#server/db/schema/setting.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS, SECOND_MS } from "#server/kernel/units.ts";
import { listAccelerators } from "#server/rates/accelerators.ts";
import type { RatedProvider } from "#server/rates/offers.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { homeGrid } from "#server/services/pricing/energy/home-grid.ts";
import { offersOfRates } from "./offers-of-rates.ts";
import { writeSimulatedMeter } from "./simulated-meter.ts";
import { type History, type HistoryInput, simulateHistory } from "./synthetic/history.ts";
import type { SimPool } from "./synthetic/scenario.ts";
import { writeHistory } from "./write-history.ts";

export const DEMO_HISTORY_KEY = "demo_history";

/** The setting that describes the written history; shown by the banner. */
export interface DemoHistory {
	fromMs: number;
	toMs: number;
	seed: number;
	jobs: number;
}

export interface HistoryOptions {
	days: number;
	seed: number;
	/** The scenario; absent: the small demo on AWS only, at constant prices. */
	story?: (toMs: number) => HistoryStory;
}

/** Clouds used in the history, with the models that its jobs request; and the events of the time. */
export type HistoryStory = Pick<HistoryInput, "families" | "surges" | "outage" | "priceAt"> & {
	clouds: readonly RatedProvider[];
	accelerators: readonly string[];
};

/** Instances charged in one transaction: no one waits for the locks yet. */
const METER_BATCH = 1_000;

/** The feed shows the latest entries; older ones are in the jobs themselves. */
const NEWS_DAYS = 3;

const cloudSettings = z.looseObject({ regions: z.array(z.string()).default([]) });

/**
 * Simulates `days` of synthetic work up to now under the published policy, on the existing pools and at the clouds'
 * shipped prices, and writes it as this installation's history, with every job marked synthetic. The meter then
 * continues from its end. Returns null and does nothing when there is already a history, or when real jobs or charges
 * exist, since it would change their totals.
 */
export async function importDemoHistory(ctx: { db: Db; clock: Clock }, options: HistoryOptions): Promise<DemoHistory | null> {
	if (await hasPast(ctx.db)) return null;
	const toMs = Math.floor(ctx.clock.nowMs() / SECOND_MS) * SECOND_MS;
	const fromMs = toMs - options.days * DAY_MS;
	const pools = await readPools(ctx.db, fromMs);
	const history = await simulate(ctx.db, pools, { fromMs, toMs, seed: options.seed }, options.story?.(toMs));
	const written = { fromMs, toMs, seed: options.seed, jobs: history.jobs.length };
	const done = await ctx.db.transaction(async (tx) => {
		// The key is the guard: of two concurrent imports the second waits here, and then finds the key taken.
		const first = await tx
			.insert(setting)
			.values({ key: DEMO_HISTORY_KEY, value: written })
			.onConflictDoNothing()
			.returning({ key: setting.key });
		if (first.length === 0) return false;
		await writeHistory(tx, history, toMs - NEWS_DAYS * DAY_MS);
		await writeSimulatedMeter(tx, history, pools, { fromMs, toMs });
		await tx.update(pool).set({ ownedSince: new Date(fromMs), idleMeteredUntil: null });
		return true;
	});
	if (!done) return null;
	// If this is interrupted, the scheduler's own meter does the rest.
	await meterAll({ db: ctx.db, clock: { nowMs: () => toMs } }, { batchSize: METER_BATCH });
	await ctx.db.execute(sql`
		update hold set closed_at = instance.terminated_at from instance
		where instance.id = hold.instance_id and hold.state <> 'pending' and instance.terminated_at <= ${new Date(toMs).toISOString()}::timestamptz`);
	return written;
}

async function hasPast(db: Db): Promise<boolean> {
	const [known] = await db.select({ key: setting.key }).from(setting).where(eq(setting.key, DEMO_HISTORY_KEY));
	if (known) return true;
	const [any] = await db.select({ id: job.id }).from(job).limit(1);
	const [charged] = await db.execute(sql`select 1 from charge limit 1`);
	return any !== undefined || charged !== undefined;
}

async function simulate(
	db: Db,
	pools: SimPool[],
	span: { fromMs: number; toMs: number; seed: number },
	story?: HistoryStory,
): Promise<History> {
	const { policy, version } = await activePolicy(db);
	const sites = await db.select().from(site).where(eq(site.enabled, true));
	const { clouds = ["aws"], accelerators, ...told } = story ?? {};
	const offers = sites.flatMap((s) => {
		const provider = clouds.find((cloud) => cloud === s.provider);
		const { regions } = cloudSettings.parse(s.settings);
		return provider ? offersOfRates({ id: s.id, provider, regions, ...(accelerators ? { accelerators } : {}) }, span.fromMs) : [];
	});
	return simulateHistory({
		...span,
		...told,
		policy,
		policyVersion: version,
		pools,
		offers,
		boardWatts: Object.fromEntries(listAccelerators().map((a) => [a.name, a.boardWatts])),
	});
}

async function readPools(db: Db, ownedSinceMs: number): Promise<SimPool[]> {
	const rows = await db.select({ pool, site }).from(pool).innerJoin(site, eq(site.id, pool.siteId)).where(eq(site.enabled, true));
	return rows.map(({ pool: p, site: s }) => {
		const grid = homeGrid(s.settings);
		return {
			id: p.id,
			siteId: p.siteId,
			provider: s.provider,
			multiNode: s.provider !== "local",
			accelerator: p.accelerator,
			nodes: p.nodes,
			gpusPerNode: p.gpusPerNode,
			microUsdPerGpuHour: p.microUsdPerGpuHour,
			wattsPerGpu: p.wattsPerGpu,
			gridGramsPerKwh: grid.gramsPerKwh,
			pue: grid.pue,
			ownedSinceMs,
		};
	});
}
