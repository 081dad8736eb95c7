import { and, eq, inArray } from "drizzle-orm";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import type { DeliveredSecrets } from "#server/domain/job-secret.ts";
import { artifactOfUri, artifactUri } from "#server/domain/output.ts";
import { reason } from "#server/domain/reasons.ts";
import { LIVE_ATTEMPT_STATES } from "#server/domain/states.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { Absences } from "#server/providers/absences.ts";
import type { AttemptObservation, ClusterDriver, ClusterObservation } from "#server/providers/driver.ts";
import { createdNothing, DriverError, isTurnedAway } from "#server/providers/driver-errors.ts";
import { type NodeMemory, newNodeMemory, writeNodes } from "#server/services/capacity/cluster-node/write.ts";
import { recordCachedSets } from "#server/services/capacity/data-set/cached-sets.ts";
import { markCopiesUsed, withNearestCopies } from "#server/services/capacity/data-set/nearest-copies.ts";
import { readDataSets } from "#server/services/capacity/data-set/read-lists.ts";
import { newQueueMemory, type QueueMemory, writeForeignJobs } from "#server/services/capacity/foreign-job/write.ts";
import { setSiteHealth } from "#server/services/capacity/site/health.ts";
import { writePools } from "#server/services/capacity/site/pools.ts";
import { fetchResult } from "#server/services/work/artifact/fetch.ts";
import { markRunning, markStaging, recordHandOver } from "#server/services/work/attempt/advance.ts";
import { appendLogs } from "#server/services/work/attempt/append-logs.ts";
import { noteWait } from "#server/services/work/attempt/cluster-wait.ts";
import { finishAttempt } from "#server/services/work/attempt/finish.ts";
import { listFiles, mustBelongTo } from "#server/services/work/checkpoint/copy-folder.ts";
import { fetchCheckpoint } from "#server/services/work/checkpoint/fetch.ts";
import { saveCheckpoint } from "#server/services/work/checkpoint/store.ts";
import { isReachableFrom, withTracking } from "#server/services/work/metric/job-tracking.ts";
import { attemptMasker, deliverSecrets, NO_SECRETS } from "#server/services/work/secret/deliver.ts";
import { withTraceParent } from "#server/services/work/trace/environment.ts";
import { syncAdoptions } from "./adoption-sync.ts";
import type { LoopContext } from "./context.ts";
import { keepOutputs, type OutputCopies } from "./keep-outputs.ts";
import { messageOf } from "./messages.ts";

/** Decisions use a list of data sets that is up to a minute old too. */
const CACHE_READ_MS = MINUTE_MS;
const LOG_BATCH_BYTES = 256 * 1024;

/** State kept between syncs of a site. Losing it costs a repeated call. */
export interface ClusterMemory {
	stopSent: Set<string>;
	savedAtMs: Map<string, number>;
	/** Attempts missing from listings that may still exist. */
	absences: Absences;
	healthWrittenMs: number;
	/** When the site's cached data was last read. */
	cacheReadMs: number;
	queue: QueueMemory;
	nodes: NodeMemory;
	outputs: OutputCopies;
	/** Downloads from stores that attempts wait for, by attempt. */
	fetches: Map<string, FetchedFiles | "fetching">;
	/** Reads the site again soon. */
	wake: () => void;
}

export function newClusterMemory(wake: () => void = () => {}): ClusterMemory {
	return {
		outputs: new Map(),
		fetches: new Map(),
		wake,
		stopSent: new Set(),
		savedAtMs: new Map(),
		absences: new Absences(),
		healthWrittenMs: 0,
		cacheReadMs: 0,
		queue: newQueueMemory(),
		nodes: newNodeMemory(),
	};
}

type LiveAttempt = Pick<
	typeof attempt.$inferSelect,
	| "id"
	| "jobId"
	| "number"
	| "team"
	| "state"
	| "slots"
	| "placement"
	| "handedOverAt"
	| "logCursor"
	| "stopRequestedAt"
	| "clusterWait"
	| "sealedSecrets"
> & {
	spec: (typeof job.$inferSelect)["spec"];
	submittedAt: Date;
};

/**
 * Syncs the database with one owned site: starts placed attempts, forwards stops, records what the site reports, and ends
 * attempts at the site that have no live row.
 */
export async function syncCluster(ctx: LoopContext, driver: ClusterDriver, memory: ClusterMemory): Promise<void> {
	let seen: ClusterObservation;
	try {
		seen = await driver.observe();
	} catch (error) {
		// Record at once that the site responds again.
		memory.healthWrittenMs = 0;
		await setSiteHealth(ctx.db, { siteId: driver.siteId, healthy: false, message: messageOf(error), atMs: ctx.clock.nowMs() });
		return;
	}
	await writeHealth(ctx, driver, seen, memory);
	if (seen.foreign) await writeForeignJobs(ctx.db, { siteId: driver.siteId, ...seen.foreign }, memory.queue);
	await recordCache(ctx, driver, memory);
	const live = await readLive(ctx, driver.siteId);
	memory.absences.keepOnly(new Set(live.map(({ id }) => id)));
	const observed = new Map(seen.attempts.map((a) => [a.attemptId, a]));
	const results = await Promise.allSettled(live.map((row) => syncAttempt(ctx, driver, memory, row, observed.get(row.id))));
	for (const result of results) if (result.status === "rejected") throw result.reason;
	if (seen.foreign) await syncAdoptions(ctx, driver, seen.foreign.jobs);
	await endUnknown(ctx, driver, seen, new Set(live.map((l) => l.id)), memory);
}

/** A cache that cannot be read counts as empty: staging then takes longer than expected at most once. */
async function recordCache(ctx: LoopContext, driver: ClusterDriver, memory: ClusterMemory): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	if (!driver.cachedData || nowMs - memory.cacheReadMs < CACHE_READ_MS) return;
	memory.cacheReadMs = nowMs;
	const sets = await driver.cachedData().catch(() => []);
	const listed = new Set((await readDataSets(ctx.db)).map(({ uri }) => uri));
	await recordCachedSets(ctx.db, { siteId: driver.siteId, sets, listed });
}

async function readLive(ctx: LoopContext, siteId: string): Promise<LiveAttempt[]> {
	return ctx.db
		.select({
			id: attempt.id,
			jobId: attempt.jobId,
			number: attempt.number,
			state: attempt.state,
			slots: attempt.slots,
			placement: attempt.placement,
			handedOverAt: attempt.handedOverAt,
			logCursor: attempt.logCursor,
			stopRequestedAt: attempt.stopRequestedAt,
			team: attempt.team,
			clusterWait: attempt.clusterWait,
			sealedSecrets: attempt.sealedSecrets,
			spec: job.spec,
			submittedAt: job.submittedAt,
		})
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(and(eq(attempt.siteId, siteId), inArray(attempt.state, [...LIVE_ATTEMPT_STATES])));
}

async function syncAttempt(
	ctx: LoopContext,
	driver: ClusterDriver,
	memory: ClusterMemory,
	row: LiveAttempt,
	seen: AttemptObservation | undefined,
): Promise<void> {
	// Stopped before its start was recorded: a crashed process may have made the call.
	if (!seen) return row.handedOverAt || row.state === "stopping" ? absorbAbsence(ctx, memory, row) : handOver(ctx, driver, memory, row);
	memory.absences.clear(row.id);
	if (row.state === "stopping" && seen.phase !== "exited" && seen.phase !== "lost") {
		if (!memory.stopSent.has(row.id)) {
			await driver.stop(row.id, ctx.timing.stopGraceMs);
			memory.stopSent.add(row.id);
		}
	}
	await copyLogs(ctx, driver, row);
	await noteWait(ctx.db, row, seen.clusterWait);
	switch (seen.phase) {
		case "staging":
			return ctx.db.transaction((tx) => markStaging(tx, { attemptId: row.id, atMs: ctx.clock.nowMs() }));
		case "running":
		case "stopping":
			if (row.state !== "running")
				await ctx.db.transaction((tx) => markRunning(tx, { attemptId: row.id, atMs: seen.startedAtMs ?? ctx.clock.nowMs() }));
			return saveOnInterval(ctx, driver, memory, row).catch(notKept(ctx, row));
		case "lost":
			return seen.noRoom === undefined ? lose(ctx, row) : refused(ctx, row, new DriverError("insufficient_capacity", seen.noRoom));
		case "exited":
			return end(ctx, driver, memory, row, seen);
	}
}

/** One listing without it proves nothing: its command may be running and must not run twice. */
async function absorbAbsence(ctx: LoopContext, memory: ClusterMemory, row: LiveAttempt): Promise<void> {
	const isLost = memory.absences.leftOut(row.id, { nowMs: ctx.clock.nowMs(), forMs: ctx.timing.siteAbsentMs });
	if (isLost) await lose(ctx, row);
}

/** Starting is idempotent, so after a crash the call is repeated. */
async function handOver(ctx: LoopContext, driver: ClusterDriver, memory: ClusterMemory, row: LiveAttempt): Promise<void> {
	const fetched = await fetchedFor(ctx, memory, row);
	if (fetched === null) return;
	const delivered = await secretsFor(ctx, row);
	if (delivered === null) return;
	const nearest = await withNearestCopies(ctx.db, row.spec, driver.siteId, row.submittedAt);
	await markCopiesUsed(ctx.db, nearest, ctx.clock.nowMs());
	const placed = withStoredResults(nearest, fetched.results);
	const traced = await withTraceParent(ctx.db, placed, { jobId: row.jobId, attemptNo: row.number });
	const tracking = ctx.tracking && isReachableFrom(driver.provider, ctx.tracking.url) ? ctx.tracking : undefined;
	const { spec, secrets } = withTracking({ spec: traced, secrets: delivered }, row.id, tracking);
	try {
		await driver.start({
			attemptId: row.id,
			jobId: row.jobId,
			attemptNo: row.number,
			spec,
			poolId: row.placement.poolId ?? "",
			slots: row.slots,
			restoreFrom: fetched.checkpoint,
			...(secrets !== NO_SECRETS && { secrets }),
		});
	} catch (error) {
		ctx.log("warn", "Could not start an attempt at its site", { attemptId: row.id, error: messageOf(error) });
		// The outcome is unknown, or the site rejected our credentials: the next sync repeats the call.
		if (error instanceof DriverError && (isTurnedAway(error.kind) || !createdNothing(error.kind))) return;
		await refused(ctx, row, error);
		return;
	}
	memory.fetches.delete(row.id);
	ctx.probe("home:handed_over");
	await recordHandOver(ctx.db, row.id, ctx.clock.nowMs());
}

/**
 * Null when the attempt cannot be handed over now: an unresponsive store is tried again, any other problem ends the attempt.
 */
async function secretsFor(ctx: LoopContext, row: LiveAttempt): Promise<DeliveredSecrets | null> {
	const { db, secretStore, clock } = ctx;
	try {
		return await deliverSecrets({ db, secretStore, nowMs: clock.nowMs() }, { attemptId: row.id, spec: row.spec });
	} catch (error) {
		ctx.log("warn", "Could not read the secrets of an attempt", { attemptId: row.id, error: messageOf(error) });
		if (!(error instanceof SpillwayError) || error.code === "unavailable") return null;
		await refused(ctx, row, error);
		return null;
	}
}

interface FetchedFiles {
	checkpoint: string | null;
	/** Folders of results by their address as data. */
	results: ReadonlyMap<string, string>;
}

/** What the attempt needs on this host; null while it is downloaded from a store, which must not hold up the site. */
async function fetchedFor(ctx: LoopContext, memory: ClusterMemory, row: LiveAttempt): Promise<FetchedFiles | null> {
	const known = memory.fetches.get(row.id);
	if (known !== undefined) return known === "fetching" ? null : known;
	const work = fetchFiles(ctx, row);
	if (!ctx.stores) return work;
	memory.fetches.set(row.id, "fetching");
	work
		.then(
			(done) => memory.fetches.set(row.id, done),
			(error: unknown) => {
				// The next sync tries again.
				memory.fetches.delete(row.id);
				ctx.log("warn", "Could not fetch what an attempt needs from its team's store", { attemptId: row.id, error: messageOf(error) });
			},
		)
		.finally(memory.wake);
	return null;
}

async function fetchFiles(ctx: LoopContext, row: LiveAttempt): Promise<FetchedFiles> {
	const { db, checkpointRoot, artifactRoot, stores = null } = ctx;
	const restore = row.number > 1 ? await fetchCheckpoint(db, checkpointRoot, stores, row.jobId) : null;
	const results = new Map<string, string>();
	for (const { uri } of row.spec.data) {
		const id = artifactOfUri(uri);
		if (id !== null) results.set(uri, await fetchResult(db, artifactRoot, stores, id));
	}
	return { checkpoint: restore?.folder ?? null, results };
}

/** Results of other jobs as folders of this host, which is where owned sites copy data from. */
function withStoredResults(spec: LiveAttempt["spec"], results: ReadonlyMap<string, string>): LiveAttempt["spec"] {
	const data = spec.data.map((ref) => {
		const folder = results.get(ref.uri);
		return folder === undefined ? ref : { ...ref, uri: artifactUri(folder) };
	});
	return { ...spec, data };
}

/** Missing capacity or quota requeues the job. Any other refusal ends it. */
async function refused(ctx: LoopContext, row: LiveAttempt, error: unknown): Promise<void> {
	const kind = error instanceof DriverError ? error.kind : null;
	const why = kind === "insufficient_capacity" ? "launch_refused_capacity" : kind === "quota_exceeded" ? "launch_refused_quota" : null;
	const exit = why === null ? { code: null, signal: null, error: messageOf(error) } : null;
	const fallback = why && { fallback: reason(why, { message: messageOf(error).slice(0, 500) }) };
	await ctx.db.transaction((tx) => finishAttempt(tx, { attemptId: row.id, exit, atMs: ctx.clock.nowMs(), ...fallback }));
}

async function lose(ctx: LoopContext, row: LiveAttempt): Promise<void> {
	await ctx.db.transaction((tx) =>
		finishAttempt(tx, { attemptId: row.id, exit: null, atMs: ctx.clock.nowMs(), fallback: reason("site_lost") }),
	);
}

async function end(
	ctx: LoopContext,
	driver: ClusterDriver,
	memory: ClusterMemory,
	row: LiveAttempt,
	seen: AttemptObservation,
): Promise<void> {
	ctx.probe("home:exit_seen");
	const atMs = seen.finishedAtMs ?? ctx.clock.nowMs();
	if (seen.startedAtMs !== null) await ctx.db.transaction((tx) => markRunning(tx, { attemptId: row.id, atMs: seen.startedAtMs ?? atMs }));
	const wasStopped = row.state === "stopping";
	const kept = keepOutputs(ctx, driver, memory.outputs, { row, exit: seen.exit, wasStopped, atMs, wake: memory.wake });
	if (kept === null) return;
	ctx.probe("home:outputs_kept");
	const folder = driver.checkpointFolder(row.id);
	// A stopped command may save and exit with 0 although its work is not done.
	if (folder !== null && (seen.exit?.code !== 0 || wasStopped)) {
		await saveCheckpoint(ctx.db, ctx.checkpointRoot, { jobId: row.jobId, attemptId: row.id, folder, atMs }).catch(notKept(ctx, row));
	}
	await ctx.db.transaction((tx) => finishAttempt(tx, { attemptId: row.id, exit: kept.exit, atMs }));
	ctx.probe("home:exit_written");
	memory.stopSent.delete(row.id);
	memory.savedAtMs.delete(row.id);
	await driver.forget(row.id);
}

/** Logs the error, so that the rest of the site is not delayed. */
function notKept(ctx: LoopContext, row: LiveAttempt): (error: unknown) => void {
	return (error) => ctx.log("error", "Could not save a checkpoint", { attemptId: row.id, error: messageOf(error) });
}

async function saveOnInterval(ctx: LoopContext, driver: ClusterDriver, memory: ClusterMemory, row: LiveAttempt): Promise<void> {
	const folder = row.spec.checkpoint && driver.checkpointFolder(row.id);
	if (!row.spec.checkpoint || !folder) return;
	const nowMs = ctx.clock.nowMs();
	const last = memory.savedAtMs.get(row.id);
	if (last === undefined) memory.savedAtMs.set(row.id, nowMs);
	if (last === undefined || nowMs - last < row.spec.checkpoint.intervalMs) return;
	memory.savedAtMs.set(row.id, nowMs);
	await mustBelongTo(row.id, folder);
	const newest = Math.max(0, ...(await listFiles(folder)).map((f) => f.changedMs));
	if (newest <= last) return;
	await saveCheckpoint(ctx.db, ctx.checkpointRoot, { jobId: row.jobId, attemptId: row.id, folder, atMs: nowMs });
}

async function copyLogs(ctx: LoopContext, driver: ClusterDriver, row: LiveAttempt): Promise<void> {
	let cursor = row.logCursor ?? { stdout: 0, stderr: 0 };
	const mask = attemptMasker(ctx.secretStore, row, ctx.tracking ? [ctx.tracking.tokenOf(row.id)] : []);
	for (;;) {
		const read = await driver.readLogs(row.id, cursor, LOG_BATCH_BYTES);
		if (read.lines.length === 0) return;
		cursor = read.cursor;
		const lines = read.lines.map((line) => ({ ...line, text: mask(line.text) }));
		await ctx.db.transaction((tx) => appendLogs(tx, { attemptId: row.id, lines, cursor: read.cursor }));
	}
}

/** Ends attempts that run at the site although they have ended here, after a crash, or have no row. */
async function endUnknown(
	ctx: LoopContext,
	driver: ClusterDriver,
	seen: ClusterObservation,
	live: ReadonlySet<string>,
	memory: ClusterMemory,
): Promise<void> {
	const strange = seen.attempts.filter((a) => !live.has(a.attemptId));
	if (strange.length === 0) return;
	// The observation is older than the rows, so end only what is final in the database.
	const rows = await ctx.db
		.select({ id: attempt.id, finishedAt: attempt.finishedAt })
		.from(attempt)
		.where(
			inArray(
				attempt.id,
				strange.map((s) => s.attemptId),
			),
		);
	const known = new Map(rows.map((r) => [r.id, r.finishedAt]));
	for (const a of strange) {
		if (known.has(a.attemptId) && known.get(a.attemptId) === null) continue;
		if (a.phase === "exited" || a.phase === "lost") await driver.forget(a.attemptId);
		else if (!memory.stopSent.has(a.attemptId)) {
			await driver.stop(a.attemptId, ctx.timing.stopGraceMs);
			memory.stopSent.add(a.attemptId);
		}
	}
}

async function writeHealth(ctx: LoopContext, driver: ClusterDriver, seen: ClusterObservation, memory: ClusterMemory): Promise<void> {
	const nowMs = ctx.clock.nowMs();
	if (nowMs - memory.healthWrittenMs < 5_000 && nowMs >= memory.healthWrittenMs) return;
	memory.healthWrittenMs = nowMs;
	const unpriced = await writePools(ctx, driver.siteId, seen.pools);
	await writeNodes(ctx.db, { siteId: driver.siteId, nodes: seen.nodes }, memory.nodes);
	const message = unpriced.length > 0 ? `pools without a price are not used: ${unpriced.join(", ")}` : null;
	await setSiteHealth(ctx.db, { siteId: driver.siteId, healthy: true, message, atMs: nowMs });
}
