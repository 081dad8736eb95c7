import { Absences } from "#server/providers/absences.ts";
import type { CloudDriver } from "#server/providers/driver.ts";
import { listenedMs } from "#server/services/agent/listening.ts";
import type { LoopContext } from "./context.ts";
import { launchInstance, resolveUnknownLaunch } from "./launch.ts";
import { pause } from "./leadership.ts";
import { type Described, describeLive, type LiveInstance, readLive } from "./live-instances.ts";
import { isProcessEnd, messageOf } from "./messages.ts";
import { absorbObservation, checkDeadlines, endInstance } from "./observe-instance.ts";

/** Calls to one provider that are under way at the same time. */
const PARALLEL_CALLS = 16;

/** What the loop remembers of a cloud between two looks; losing it costs only some more looks. */
export interface CloudMemory {
	/** Instances that answers leave out. */
	absences: Absences;
	/** Regions that are being looked at. They end by the time limits of the driver's calls. */
	underWay: Map<string, Promise<void>>;
	/** Real. How long one look waits for its regions. */
	patienceMs: number;
}

/** One that answers nothing may take a minute to say so. */
const PATIENCE_MS = 5_000;

export function newCloudMemory({ patienceMs = PATIENCE_MS } = {}): CloudMemory {
	return { absences: new Absences(), underWay: new Map(), patienceMs };
}

/**
 * Brings the database and one cloud together: makes the calls that intents ask for, writes what the provider says of
 * each instance, and ends every instance whose attempt is over. Each instance is handled on its own: one that fails
 * does not keep the others waiting. So is each region: one that takes longer than the look waits goes on by itself, and is looked at
 * again once it has answered, so that a region that is lost holds up nothing elsewhere. Cost: one describe per region with live instances, plus one call per change.
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
		// Nobody may be there any more to hear of it.
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
	await inParallel(live, async (row) => {
		try {
			if (!waitsForItsFirst(row, live)) await syncInstance(ctx, driver, row, { described, ...facts });
		} catch (error) {
			if (isProcessEnd(error)) throw error;
			ctx.log("error", "an instance could not be brought up to date", { instanceId: row.id, error: messageOf(error) });
		}
	});
}

async function syncInstance(
	ctx: LoopContext,
	driver: CloudDriver,
	row: LiveInstance,
	{ described, listenedMs: listened, memory }: { described: Described; listenedMs: number; memory: CloudMemory },
): Promise<void> {
	if (row.providerInstanceId === null) {
		return wanted(row) ? launchInstance(ctx, driver, row) : resolveUnknownLaunch(ctx, driver, row, memory.absences);
	}
	const gone = await absorbObservation(ctx, row, described, memory.absences);
	if (gone) return;
	const fit = row.exit !== null || (await checkDeadlines(ctx, row, listened));
	if (!fit || row.state === "terminating" || !wanted(row) || mustBeEndedByForce(ctx, row)) await endInstance(ctx, driver, row);
}

/**
 * A gang on an offer without a zone: the provider chooses one for the machine of rank 0, and the others follow it there.
 * So they are asked for only once it was seen, and when there is no room even for the first, it is the only one asked for.
 */
function waitsForItsFirst(row: LiveInstance, live: readonly LiveInstance[]): boolean {
	if (row.rank === 0 || row.zone !== null || row.state !== "intended" || !wanted(row)) return false;
	const first = live.find((other) => other.attemptId === row.attemptId && other.rank === 0);
	return first !== undefined && first.lastSeenAt === null;
}

/**
 * While its attempt lives an instance is wanted, until its own command is over; a stopping attempt still needs it to save
 * its checkpoint. A gang of which no command has run yet has nothing to save, and is given back at once.
 */
function wanted(row: LiveInstance): boolean {
	if (row.state === "terminating" || row.exit !== null) return false;
	if (row.attemptState === "starting" || row.attemptState === "staging" || row.attemptState === "running") return true;
	return row.attemptState === "stopping" && row.readyAt !== null && (row.nodes === 1 || row.attemptStartedAt !== null);
}

/** The agent had its grace and more, and its command still is not reported over. */
function mustBeEndedByForce(ctx: LoopContext, row: LiveInstance): boolean {
	if (row.stopRequestedAt === null) return false;
	// An attempt is told to save shortly before its machine's life is over; past that there is nobody to wait for.
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
