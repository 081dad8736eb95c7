import { and, asc, eq, gt, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db, Tx } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { pool, site } from "#server/db/schema/site.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { FRUITLESS_MAX } from "#server/domain/outcome.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { defined } from "#server/kernel/assert.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { hash32 } from "#server/kernel/random.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { listAccelerators, resolveAlias } from "#server/rates/accelerators.ts";
import { keptRooms, type LeavingAttempt, ROOM_VALID_MS } from "#server/scheduling/kept-room.ts";
import type {
	ForecastScale,
	FruitlessAttempts,
	DataView as KnownData,
	OfferRecord,
	PendingJob,
	PoolView,
	RunningAttempt,
	Snapshot,
} from "#server/scheduling/types.ts";
import { CopiesNow, readDataView } from "#server/services/capacity/data-set/data-view.ts";
import { ForeignCache } from "#server/services/capacity/foreign-job/waiting.ts";
import { readWarmMachines, withQuotaOf } from "#server/services/capacity/instance/warm-machines.ts";
import { mountNamesOf } from "#server/services/capacity/site/mounts.ts";
import { poolInterconnect } from "#server/services/capacity/site/pool-interconnect.ts";
import { byClock, poolSpeed, type Speeds, speedsOfSites } from "#server/services/capacity/site/pool-speed.ts";
import { KeptRead } from "#server/services/core/kept-read.ts";
import { SameObjects } from "#server/services/core/same-objects.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { type EgressUse, readEgressUse } from "#server/services/ledger/budget/egress-use.ts";
import { type BudgetPeriods, readBudgetPeriods, viewsOf } from "#server/services/ledger/budget/views.ts";
import { type ActivePolicy, activePolicy } from "#server/services/policy/active.ts";
import { homeGrid } from "#server/services/pricing/energy/home-grid.ts";
import { OffersAsRead } from "#server/services/pricing/offer/offers-as-read.ts";
import { busyPricesNow } from "#server/services/pricing/owned/gpu-hour-prices.ts";
import { readAnswers, requiresApproval } from "#server/services/work/approval/answers.ts";
import { type RunHistory, readRunHistory } from "#server/services/work/job/durations.ts";
import { RUN_USER, withUser } from "#server/services/work/job/run-user.ts";
import { forecastScale as readForecastScale } from "../forecast/scale.ts";
import { arrivingGpusPerHour as readArrivals } from "./arrivals.ts";
import { readAvoided } from "./avoided-offers.ts";
import { CheckpointSizes } from "./checkpoint-sizes.ts";
import { ForetoldCache } from "./foretold.ts";
import { readFruitless } from "./fruitless.ts";
import { readGpuUse } from "./gpu-use.ts";
import { nextCheckpointAt, readLiveAttempts } from "./live-attempts.ts";
import { offerRecords as readOfferRecords } from "./offer-records.ts";
import { type PendingRow, PendingRows } from "./pending-rows.ts";
import { readRefusedPools } from "./refused-pools.ts";
import { readReservations } from "./reservations.ts";
import { readVersions, type Versions } from "./versions.ts";

const HISTORY_AGE_MS = MINUTE_MS;
/** How long a moved job keeps the place it was stopped for; after that it is a pending job like any other. */
const MOVE_VALID_MS = 10 * MINUTE_MS;

/** State kept between cycles: in specs only the priority of waiting jobs changes, and run-time statistics change slowly. */
export class SnapshotCache {
	readonly policy = new KeptRead<ActivePolicy>();
	readonly sites = new KeptRead<SiteRow[]>();
	readonly pools = new KeptRead<(typeof pool.$inferSelect)[]>();
	readonly allocations = new KeptRead<Awaited<ReturnType<typeof readOpenAllocations>>>();
	readonly budgets = new KeptRead<BudgetPeriods>();
	readonly specs = new Map<string, JobSpec>();
	history: HistoryFacts | null = null;
	readonly foretold = new ForetoldCache();
	readonly foreign = new ForeignCache();
	readonly copies = new CopiesNow();
	readonly checkpointSizes = new CheckpointSizes();
	readonly pendingRows = new PendingRows();
	/** By row: the job built only from its row. */
	readonly plain = new WeakMap<PendingRow, PendingJob>();
	readonly offersAsRead = new OffersAsRead();
	/** Data equal to the last cycle's are the same object again, for the core's memo. */
	readonly offers = new SameObjects<Offer>(({ id }) => id);
	readonly pending = new SameObjects<PendingJob>(({ jobId }) => jobId);
	readonly running = new SameObjects<RunningAttempt>(({ attemptId }) => attemptId);
}

/** Statistics of past jobs; they change slowly and are read once a minute. */
interface HistoryFacts extends RunHistory {
	readAtMs: number;
	offerRecords: ReadonlyMap<string, OfferRecord>;
	arrivingGpusPerHour: number;
	forecastScale: ForecastScale;
	data: KnownData | undefined;
}

export interface SnapshotContext {
	db: Db;
	clock: Clock;
	timing: Pick<Timing, "offerCooldownMs" | "priceMaxAgeMs" | "cloudStartMs">;
}

/**
 * Reads one consistent view of everything a cycle needs. Statistics of past jobs are read again when older than
 * `historyMaxAgeMs`.
 * Cost: the live rows, and the pending jobs and offers that changed since the cache was filled; specs are read once per job.
 */
export async function loadSnapshot(
	ctx: SnapshotContext,
	cache: SnapshotCache,
	historyMaxAgeMs = HISTORY_AGE_MS,
): Promise<{ snapshot: Snapshot; active: ActivePolicy }> {
	const {
		durations,
		throughput,
		offerRecords,
		arrivingGpusPerHour,
		forecastScale,
		data: lasting,
	} = await historyOf(ctx.db, cache, ctx.clock.nowMs(), historyMaxAgeMs);
	return ctx.db.transaction(
		async (tx) => {
			const versions = await readVersions(tx);
			// The first statement fixed the snapshot. No fact in it is later, so no decision is dated before its input.
			const nowMs = ctx.clock.nowMs();
			const active = await cache.policy.at(versions.policy, () => activePolicy(tx));
			const sites = await cache.sites.at(versions.sites, () => readSites(tx));
			const speeds = speedsOfSites(sites);
			const { running, leaving } = versions.hasLive ? await readRunning(tx, cache, { nowMs, policy: active.policy, speeds }) : NONE_RUNNING;
			const rows = await cache.pendingRows.read(tx, versions.pending);
			const pending = await readPending(tx, cache, { rows, nowMs, timing: ctx.timing, leaving, policy: active.policy, speeds });
			dropEnded(cache, pending, running);
			const egress = await readEgressUse(
				tx,
				active.policy,
				nowMs,
				running.map((r) => r.attemptId),
			);
			const enabled = sites.filter((s) => s.enabled);
			const foreign = await cache.foreign.read(tx, `${enabled.map(({ id }) => id)} ${versions.foreign}`);
			const data = await cache.copies.add(tx, lasting);
			const pools = await readPools(tx, cache, { sites: enabled, versions, nowMs });
			const open = enabled.filter((s) => s.removedAt === null);
			const mounts = mountNamesOf(open);
			const warm = versions.hasWarm ? await readWarmMachines(tx) : [];
			const offers = cache.offers.keep(withQuotaOf(warm, await cache.offersAsRead.read(tx, versions, nowMs)));
			const rules = active.policy.budgets;
			const periods = await cache.budgets.at(`${versions.policy} ${versions.zone} ${versions.budgets}`, () => readBudgetPeriods(tx, rules));
			const snapshot: Snapshot = {
				nowMs,
				seed: hash32(`${active.version}`),
				policy: active.policy,
				policyVersion: active.version,
				pools,
				offers,
				...(pools.length + offers.length + open.length === 0 && { noSites: true as const }),
				pending: cache.pending.keep(pending),
				running: cache.running.keep(withReservations(running, egress)),
				...(warm.length > 0 && { warm }),
				...(egress.postedGiB.size > 0 && { egressGiB: egress.postedGiB }),
				...(foreign.length > 0 && { foreign }),
				budgets: viewsOf(periods, rules, nowMs),
				durations,
				throughput,
				offerRecords,
				arrivingGpusPerHour,
				forecastScale,
				priceMaxAgeMs: ctx.timing.priceMaxAgeMs,
				cloudStartMs: ctx.timing.cloudStartMs,
				boardWatts: boardWatts(),
				...(data && { data }),
				...(mounts && { mounts }),
				...(await cache.foretold.read(tx, active.policy, nowMs)),
			};
			return { snapshot, active };
		},
		{ isolationLevel: "repeatable read", accessMode: "read only" },
	);
}

async function historyOf(db: Db, cache: SnapshotCache, nowMs: number, maxAgeMs: number): Promise<HistoryFacts> {
	const kept = cache.history;
	if (kept && nowMs - kept.readAtMs <= maxAgeMs && nowMs >= kept.readAtMs) return kept;
	const history = await readHistory(db, nowMs, kept);
	cache.history = history;
	return history;
}

async function readHistory(db: Db, nowMs: number, before: HistoryFacts | null): Promise<HistoryFacts> {
	return {
		readAtMs: nowMs,
		...(await readRunHistory(db, nowMs)),
		offerRecords: await readOfferRecords(db, nowMs),
		arrivingGpusPerHour: await readArrivals(db, nowMs),
		forecastScale: await readForecastScale(db, nowMs),
		data: await readDataView(db, nowMs, before?.data),
	};
}

async function readPending(
	tx: Tx,
	cache: SnapshotCache,
	{
		rows,
		nowMs,
		timing,
		leaving,
		policy,
		speeds,
	}: {
		rows: readonly PendingRow[];
		nowMs: number;
		timing: SnapshotContext["timing"];
		leaving: readonly LeavingAttempt[];
		policy: Policy;
		speeds: Speeds;
	},
): Promise<PendingJob[]> {
	if (rows.length === 0) return [];
	await fillSpecs(
		tx,
		cache,
		rows.map((r) => r.jobId),
	);
	for (const row of rows) updatePriority(cache, row);
	const sizeOf = await cache.checkpointSizes.read(tx, saving(cache, rows), nowMs);
	const tried = rows.filter((r) => r.attempts > 0).map((r) => r.jobId);
	const avoid = await readAvoided(tx, tried, nowMs, timing.offerCooldownMs);
	const fruitless = await readFruitless(tx, mayBeFruitless(rows));
	const refused = await readRefusedPools(tx, { tried, nowMs, cooldownMs: timing.offerCooldownMs });
	const over = evicts(policy) ? await readLeftAndEnded(tx, nowMs) : [];
	const rooms = keptRooms([...leaving, ...rows.map(forecastFor), ...over], nowMs);
	const asks = requiresApproval(policy) || rows.some((r) => specOf(cache, r).approvalAboveUsd !== undefined);
	const answers = asks ? await readAnswers(tx) : null;
	const reservations = await readReservations(tx);
	return rows.map((r) => {
		const spec = specOf(cache, r);
		const reservation = reservations.get(r.jobId);
		// Most jobs depend on nothing outside their row, so the cached object is still valid.
		const plain =
			r.attempts === 0 &&
			spec.checkpoint === null &&
			!rooms.has(r.jobId) &&
			!answers?.has(r.jobId) &&
			!refused.has(r.jobId) &&
			!reservation;
		const known = plain ? cache.plain.get(r) : undefined;
		if (known && (known.approvals === undefined) === (answers === null)) return known;
		const pending: PendingJob = {
			jobId: r.jobId,
			spec,
			state: r.state === "held" ? "held" : "queued",
			submittedAtMs: r.submittedAt.getTime(),
			pendingSinceMs: r.pendingSince.getTime(),
			nextAttemptNo: r.attempts + 1,
			completedMs: Number(r.completedMs),
			...byClock(Number(r.completedMs), speeds),
			...sizeOf(r.jobId, spec),
			avoidOffers: avoid.get(r.jobId) ?? [],
			...(refused.has(r.jobId) && { notPools: refused.get(r.jobId) ?? [] }),
			approvedMicroUsd: r.approvedMicroUsd,
			...(answers && { approvals: answers.get(r.jobId) ?? [] }),
			movingTo: r.endedAt !== null && nowMs - r.endedAt.getTime() <= MOVE_VALID_MS ? r.movingTo : null,
			room: rooms.get(r.jobId) ?? null,
			...(reservation && { reservation }),
			...fruitlessOf(fruitless.get(r.jobId)),
		};
		if (plain) cache.plain.set(r, pending);
		return pending;
	});
}

function fruitlessOf(fruitless: FruitlessAttempts | undefined): Pick<PendingJob, "fruitless"> {
	return fruitless ? { fruitless } : {};
}

function mayBeFruitless(rows: readonly PendingRow[]): string[] {
	return rows.filter((r) => r.attempts - r.resumedAfterAttempt >= FRUITLESS_MAX).map((r) => r.jobId);
}

function evicts({ rules }: Policy): boolean {
	return rules.some(({ effect }) => effect.kind === "preempt");
}

interface StopRow {
	stopReason: Reason | null;
	stopRequestedAt: Date | null;
	endedAt: Date | null;
}

function forecastFor({ stopReason, stopRequestedAt, endedAt }: StopRow): LeavingAttempt {
	return { stopReason, askedAtMs: stopRequestedAt?.getTime() ?? null, endedAtMs: endedAt?.getTime() ?? null };
}

/** Last attempts of jobs that recently finished anyway: an attempt that was asked to leave may finish first. */
async function readLeftAndEnded(tx: Tx, nowMs: number): Promise<LeavingAttempt[]> {
	const rows = await tx
		.select({ stopReason: attempt.stopReason, stopRequestedAt: attempt.stopRequestedAt, endedAt: attempt.finishedAt })
		.from(job)
		.innerJoin(attempt, and(eq(attempt.jobId, job.id), eq(attempt.number, job.attempts)))
		.where(and(gt(job.finishedAt, new Date(nowMs - ROOM_VALID_MS)), isNotNull(attempt.stopReason)));
	return rows.map(forecastFor);
}

interface RunningNow {
	running: RunningAttempt[];
	leaving: LeavingAttempt[];
}

const NONE_RUNNING: RunningNow = { running: [], leaving: [] };

async function readRunning(
	tx: Tx,
	cache: SnapshotCache,
	{ nowMs, policy, speeds }: { nowMs: number; policy: Policy; speeds: Speeds },
): Promise<RunningNow> {
	const rows = await readLiveAttempts(tx, speeds);
	if (rows.length === 0) return NONE_RUNNING;
	const use = await readGpuUse(tx, policy, nowMs);
	await fillSpecs(
		tx,
		cache,
		rows.map((r) => r.jobId),
	);
	const sizeOf = await cache.checkpointSizes.read(tx, saving(cache, rows), nowMs);
	const running = rows.map((facts) => {
		const spec = specOf(cache, facts);
		const { lastSavedAtMs: _, leaving: __, ...attempt } = facts;
		return {
			...attempt,
			...use.get(facts.attemptId),
			...sizeOf(facts.jobId, spec),
			spec,
			nextCheckpointAtMs: nextCheckpointAt(facts, spec, nowMs),
		};
	});
	return { running, leaving: rows.map((facts) => facts.leaving) };
}

function withReservations(running: RunningAttempt[], { reservedGiB }: EgressUse): RunningAttempt[] {
	if (reservedGiB.size === 0) return running;
	return running.map((r) => {
		const reservedEgressGiB = reservedGiB.get(r.attemptId) ?? 0;
		return reservedEgressGiB > 0 ? { ...r, reservedEgressGiB } : r;
	});
}

/** Every site, also those that are disabled or were removed: attempts that ran there count with their speeds. */
function readSites(tx: Tx) {
	const { id, provider, enabled, removedAt, settings, healthy, unhealthySince } = site;
	return tx.select({ id, provider, enabled, removedAt, settings, healthy, unhealthySince }).from(site).orderBy(asc(id));
}

type SiteRow = Awaited<ReturnType<typeof readSites>>[number];

async function readPools(
	tx: Tx,
	cache: SnapshotCache,
	{ sites, versions, nowMs }: { sites: readonly SiteRow[]; versions: Versions; nowMs: number },
): Promise<PoolView[]> {
	const siteOf = new Map(sites.map((s) => [s.id, s]));
	const rows = (await cache.pools.at(versions.pools, () => tx.select().from(pool))).flatMap((p) => {
		const s = siteOf.get(p.siteId);
		return s ? [{ pool: p, site: s }] : [];
	});
	const open = await cache.allocations.at(versions.allocations, () => readOpenAllocations(tx));
	const own = rows.map((row) => row.pool);
	const prices = versions.hasCards ? await busyPricesNow(tx, own, nowMs) : new Map<string, bigint>();
	return rows.map(({ pool: p, site: s }) => {
		const taken = new Set<number>(p.unavailableSlots);
		for (const a of open) if (a.siteId === p.siteId && a.poolId === p.id) for (const slot of a.slots) taken.add(slot);
		const total = p.nodes * p.gpusPerNode;
		const grid = homeGrid(s.settings);
		const speed = poolSpeed(s.settings, p);
		const interconnect = poolInterconnect(s.settings, p);
		return {
			id: p.id,
			siteId: p.siteId,
			accelerator: resolveAlias(p.accelerator) ?? p.accelerator,
			nodes: p.nodes,
			gpusPerNode: p.gpusPerNode,
			// The rate card's price, as charged; before the first card, the pool's own price.
			microUsdPerGpuHour: prices.get(`${p.siteId}/${p.id}`) ?? p.microUsdPerGpuHour,
			wattsPerGpu: p.wattsPerGpu,
			gridGramsPerKwh: grid.gramsPerKwh,
			pue: grid.pue,
			healthy: s.healthy,
			...(!s.healthy && s.unhealthySince && { unhealthySinceMs: s.unhealthySince.getTime() }),
			// The local site is one host; clusters place gangs themselves.
			multiNode: s.provider !== "local",
			provider: s.provider,
			...(speed !== 1 && { speed }),
			...(interconnect && { interconnect }),
			freeSlots: Array.from({ length: total }, (_, i) => i).filter((i) => !taken.has(i)),
		};
	});
}

function readOpenAllocations(tx: Tx) {
	const { siteId, poolId, slots } = allocation;
	return tx.select({ siteId, poolId, slots }).from(allocation).where(isNull(allocation.endedAt));
}

async function fillSpecs(tx: Tx, cache: SnapshotCache, jobIds: string[]): Promise<void> {
	const missing = jobIds.filter((id) => !cache.specs.has(id));
	if (missing.length === 0) return;
	const rows = await tx
		.select({ id: job.id, spec: job.spec, user: RUN_USER })
		.from(job)
		.where(sql`${job.id} = any(${sql.param(missing)}::text[])`);
	for (const row of rows) cache.specs.set(row.id, withUser(row.spec, row.user));
}

/** People may change the priority of waiting jobs. An unchanged spec stays the same object. */
function updatePriority(cache: SnapshotCache, { jobId, priority }: PendingRow): void {
	const spec = specOf(cache, { jobId });
	if (spec.priority !== priority) cache.specs.set(jobId, { ...spec, priority });
}

function specOf(cache: SnapshotCache, { jobId }: { jobId: string }): JobSpec {
	return defined(cache.specs.get(jobId), "spec of a live job");
}

/** Only for jobs that save checkpoints. */
function saving(cache: SnapshotCache, rows: readonly { jobId: string }[]): string[] {
	return rows.filter((row) => specOf(cache, row).checkpoint !== null).map(({ jobId }) => jobId);
}

function dropEnded(cache: SnapshotCache, pending: PendingJob[], running: RunningAttempt[]): void {
	if (cache.specs.size <= 2 * (pending.length + running.length) + 1_000) return;
	const live = new Set([...pending.map((p) => p.jobId), ...running.map((r) => r.jobId)]);
	for (const id of cache.specs.keys()) if (!live.has(id)) cache.specs.delete(id);
}

let watts: Record<string, number> | null = null;

/** Board power, W, of every accelerator in the shipped rates. */
function boardWatts(): Record<string, number> {
	watts ??= Object.fromEntries(listAccelerators().map((a) => [a.name, a.boardWatts]));
	return watts;
}
