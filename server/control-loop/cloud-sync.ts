import { tpuSliceOf } from "#server/domain/tpu-slice.ts";
import { Absences } from "#server/providers/absences.ts";
import type { CloudDriver } from "#server/providers/driver.ts";
import { listenedMs } from "#server/services/work/agent/listening.ts";
import type { LoopContext } from "./context.ts";
import { keepStopped } from "./keep-stopped.ts";
import { launchInstance, resolveUnknownLaunch } from "./launch.ts";
import { pause } from "./leadership.ts";
import { type Described, describeLive, isOffOnPurpose, type LiveInstance, readLive } from "./live-instances.ts";
import { isProcessEnd, messageOf } from "./messages.ts";
import { absorbObservation, checkDeadlines, endInstance, recordUnchanged } from "./observe-instance.ts";

/** Parallel calls to one provider. */
const PARALLEL_CALLS = 16;

/** State kept between syncs of a cloud. Losing it costs a few more calls. */
export interface CloudMemory {
	/** Instances missing from listings. */
	absences: Absences;
	/** Regions with a sync in progress. The driver's timeouts end them. */
	underWay: Map<string, Promise<void>>;
	/** Real time that one sync waits for its regions. */
	patienceMs: number;
}

/** A region that does not respond may take a minute to time out. */
const PATIENCE_MS = 5_000;

export function newCloudMemory({ patienceMs = PATIENCE_MS } = {}): CloudMemory {
	return { absences: new Absences(), underWay: new Map(), patienceMs };
}

/**
 * Syncs the database with one cloud: launches intents, records what the provider reports, and terminates instances of finished
 * attempts. Errors stay within one instance. A slow region continues in the background and is skipped until it responds, so it
 * delays no other region.
 * Cost: one describe per region with live instances, plus one call per change.
 */
export async function syncCloud(ctx: LoopContext, driver: CloudDriver, memory: CloudMemory): Promise<void> {
	const live = await readLive(ctx, driver.siteId);
	memory.absences.keepOnly(new Set(live.map(({ id }) => id)));
	if (live.length === 0) return;
	const listened = await listenedMs(ctx.db);
	const begun = [...Map.groupBy(live, ({ region }) => region)].flatMap(([region, rows]) => {
		if (memory.underWay.has(region)) return [];
		const pass = syncRegion(ctx, driver, rows, { listenedMs: listened, memory }).finally(() => memory.underWay.delete(region));
		memory.underWay.set(region, pass);
		// The caller may have stopped waiting for this region.
		pass.catch(() => {});
		return [pass];
	});
	const done = new AbortController();
	await Promise.race([Promise.all(begun), pause(memory.patienceMs, done.signal)]).finally(() => done.abort());
}

async function syncRegion(
	ctx: LoopContext,
	driver: CloudDriver,
	live: readonly LiveInstance[],
	facts: { listenedMs: number; memory: CloudMemory },
): Promise<void> {
	const described = await describeLive(ctx, driver, live);
	const recorded = await recordUnchanged(ctx, live, described);
	await inParallel(live, async (row) => {
		try {
			if (waitsForItsFirst(ctx, row, live)) return;
			await syncInstance(ctx, driver, row, { described, recorded, inUse: isSliceInUse(ctx, row, live), ...facts });
		} catch (error) {
			if (isProcessEnd(error)) throw error;
			ctx.log("error", "Could not sync an instance", { instanceId: row.id, error: messageOf(error) });
		}
	});
}

async function syncInstance(
	ctx: LoopContext,
	driver: CloudDriver,
	row: LiveInstance,
	{
		listenedMs: listened,
		memory,
		inUse,
		...observed
	}: { described: Described; recorded: ReadonlySet<string>; listenedMs: number; memory: CloudMemory; inUse: boolean },
): Promise<void> {
	if (row.providerInstanceId === null) {
		return wanted(ctx, row) ? launchInstance(ctx, driver, row) : resolveUnknownLaunch(ctx, driver, row, memory.absences);
	}
	const gone = await absorbObservation(ctx, row, { ...observed, absences: memory.absences });
	if (gone) return;
	const fit = row.exit !== null || (await checkDeadlines(ctx, row, listened));
	// Terminating one host terminates its slice.
	if (inUse) return;
	if (!fit || row.state === "terminating" || !wanted(ctx, row) || mustBeEndedByForce(ctx, row)) await endInstance(ctx, driver, row);
	else await keepStopped(ctx, driver, row, observed.described.byProviderId.get(row.providerInstanceId));
}

/** Whether another host of the machine's TPU slice still runs its command or saves. */
function isSliceInUse(ctx: LoopContext, row: LiveInstance, live: readonly LiveInstance[]): boolean {
	if (tpuSliceOf(row) === null) return false;
	return live.some((other) => other !== row && other.attemptId === row.attemptId && wanted(ctx, other) && !mustBeEndedByForce(ctx, other));
}

/**
 * In a gang without a fixed zone, the provider chooses the zone of rank 0 and the other machines follow. They are launched
 * once rank 0 was seen, so without capacity there is only one call. The launch of rank 0 creates a whole TPU slice.
 */
function waitsForItsFirst(ctx: LoopContext, row: LiveInstance, live: readonly LiveInstance[]): boolean {
	if (row.rank === 0 || (row.zone !== null && tpuSliceOf(row) === null) || row.state !== "intended" || !wanted(ctx, row)) return false;
	const first = live.find((other) => other.attemptId === row.attemptId && other.rank === 0);
	return first !== undefined && first.lastSeenAt === null;
}

/**
 * An instance is needed until its command exits; a stopping attempt still needs it to save its checkpoint. A gang that has
 * not started has nothing to save and is terminated immediately. Without a job it is needed until it is given up.
 */
function wanted(ctx: LoopContext, row: LiveInstance): boolean {
	if (row.state === "terminating" || row.exit !== null) return false;
	if (row.attemptId === null) return row.warmUntil !== null && ctx.clock.nowMs() < row.warmUntil.getTime();
	if (row.attemptState === "starting" || row.attemptState === "staging" || row.attemptState === "running") return true;
	if (row.attemptState === "stopping" && isOffOnPurpose(row)) return false;
	return row.attemptState === "stopping" && row.readyAt !== null && (row.nodes === 1 || row.attemptStartedAt !== null);
}

/** The grace period is long over, and the command has not been reported as finished. */
function mustBeEndedByForce(ctx: LoopContext, row: LiveInstance): boolean {
	if (row.stopRequestedAt === null) return false;
	// The attempt was asked to save before its machine expired; after that there is nothing to wait for.
	const silent = row.stopReason?.code === "agent_silent" && (row.nodes === 1 || row.stopReason.facts["rank"] === row.rank);
	const over = silent || ctx.clock.nowMs() >= row.expiresAt.getTime();
	return over || ctx.clock.nowMs() - row.stopRequestedAt.getTime() > 2 * ctx.timing.stopGraceMs + ctx.timing.callRetryMs;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const queue = [...items];
	const worker = async (): Promise<void> => {
		for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
	};
	await Promise.all(Array.from({ length: Math.min(PARALLEL_CALLS, items.length) }, worker));
}
