import type { Connection } from "#server/db/client.ts";
import { WAKE_CHANNEL } from "#server/db/notify.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { BacktestTender, type BacktestWorker } from "#server/services/backtest/tend.ts";
import type { Term } from "#server/services/backtest/work.ts";
import { tidyCheckpoints } from "#server/services/checkpoint/tidy.ts";
import { meterAll } from "#server/services/ledger/meter.ts";
import { checkLedgerWhenDue } from "#server/services/ledger/nightly-check.ts";
import { refreshOffers } from "#server/services/offer/refresh.ts";
import { writeHeartbeat } from "#server/services/scheduler/heartbeat.ts";
import { setSiteHealth } from "#server/services/site/health.ts";
import { statementsOnTheDay } from "#server/services/statement/on-the-day.ts";
import { auditChain } from "./audit-chain.ts";
import { syncCloud } from "./cloud-sync.ts";
import { newClusterMemory, syncCluster } from "./cluster-sync.ts";
import type { LoopContext } from "./context.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { FirstPrices } from "./first-prices.ts";
import { becomeLeader, pause } from "./leadership.ts";
import { messageOf } from "./messages.ts";
import { emptyOutbox, lookForAlerts, type NoticeSettings } from "./notices.ts";
import { type Repeating, repeat } from "./repeat.ts";
import { sweepCloud } from "./sweep.ts";

const LEADER_RETRY_MS = 500;
const LEADER_CHECK_MS = 1_000;
/** Most times there is nothing to do: one read by an index. */
const BACKTESTS_EVERY_MS = 1_000;
/** Most times there is nothing to do: two reads. */
const STATEMENTS_EVERY_MS = 10 * MINUTE_MS;

export interface SchedulerOptions {
	ctx: LoopContext;
	connection: Connection;
	/** Name of this process in the heartbeat. */
	instanceName: string;
	signal: AbortSignal;
	/** What a leader that is told to stop still does, while it leads. */
	beforeResign?: () => Promise<void>;
	/** How messages are sent; without it the outbox is left to another scheduler. */
	notices?: NoticeSettings;
	/** Starts a process that works on a backtest; without it they are left to another scheduler. */
	spawnBacktest?: (term: Term) => BacktestWorker;
}

/** Runs until the signal: waits to be the leader, leads, and when leadership is lost, waits again. */
export async function runScheduler(options: SchedulerOptions): Promise<void> {
	const { ctx, connection, signal } = options;
	while (!signal.aborted) {
		try {
			const leadership = await becomeLeader(connection.single(), { retryMs: LEADER_RETRY_MS, signal });
			if (!leadership) return;
			ctx.log("info", "this scheduler leads", { instance: options.instanceName });
			const term = new AbortController();
			const end = (): void => term.abort();
			signal.addEventListener("abort", end);
			const tasks = await startTasks(options, term.signal);
			while (!term.signal.aborted && (await leadership.stillHeld())) await pause(LEADER_CHECK_MS, term.signal);
			term.abort();
			signal.removeEventListener("abort", end);
			await Promise.all(tasks.map((t) => t.done));
			if (signal.aborted) await options.beforeResign?.();
			await leadership.resign().catch(() => {});
		} catch (error) {
			ctx.log("error", "the scheduler starts its term again", { error: messageOf(error) });
			await pause(LEADER_RETRY_MS, signal);
		}
	}
}

/** Starts everything a leader does; each task runs by itself, so that a slow provider keeps nothing else waiting. */
async function startTasks(
	{ ctx, connection, instanceName, notices, spawnBacktest }: SchedulerOptions,
	signal: AbortSignal,
): Promise<Repeating[]> {
	const { timing } = ctx;
	const task = (name: string, everyMs: number, minGapMs: number, run: () => Promise<void>): Repeating =>
		repeat({
			everyMs,
			minGapMs,
			run,
			signal,
			onError: (error) => ctx.log("error", `${name} failed and is tried again`, { error: messageOf(error) }),
		});

	const homeSyncs = new Map<string, Repeating>();
	const cloudSyncs = new Map<string, Repeating>();
	const others: Repeating[] = [];
	const memory = newCycleMemory();
	const firstPrices = new FirstPrices(ctx.clouds.keys(), ctx.clock.nowMs());
	let lastCycle: Awaited<ReturnType<typeof runCycle>> | null = null;
	const cycle = task("a cycle", timing.tickMs, 5, async () => {
		lastCycle = await runCycle(ctx, memory, { mayLaunch: firstPrices.areIn(ctx.clock.nowMs()) });
		for (const id of lastCycle.home) homeSyncs.get(id)?.wake();
		for (const id of lastCycle.clouds) cloudSyncs.get(id)?.wake();
	});
	const unsubscribe: (() => void)[] = [];
	for (const driver of ctx.clusters.values()) {
		const siteMemory = newClusterMemory();
		const sync = task(`reading ${driver.siteId}`, timing.tickMs, 5, () => syncCluster(ctx, driver, siteMemory));
		homeSyncs.set(driver.siteId, sync);
		unsubscribe.push(driver.subscribe(() => sync.wake()));
	}
	for (const driver of ctx.clouds.values()) {
		cloudSyncs.set(
			driver.siteId,
			task(`reading ${driver.siteId}`, timing.syncMs, 20, () => syncCloud(ctx, driver)),
		);
		others.push(
			task(`prices of ${driver.siteId}`, timing.offersEveryMs, 1_000, () =>
				readOffers(ctx, driver.siteId).finally(() => {
					firstPrices.settle(driver.siteId);
					cycle.wake();
				}),
			),
		);
		others.push(task(`the sweep of ${driver.siteId}`, timing.sweepMs, 1_000, async () => void (await sweepCloud(ctx, driver))));
	}
	others.push(
		task("tidying checkpoints", HOUR_MS, 1_000, async () => void (await tidyCheckpoints(ctx.db, ctx.checkpointRoot, ctx.clock.nowMs()))),
	);
	others.push(task("the ledger's check", timing.ledgerCheckMs, 1_000, async () => void (await checkLedgerWhenDue(ctx))));
	const chain = auditChain(ctx, signal);
	others.push(task("sealing the audit", timing.auditSealMs, 100, chain.seal));
	others.push(task("the audit's check", timing.auditCheckMs, 1_000, chain.check));
	others.push(task("statements on the day set", STATEMENTS_EVERY_MS, 1_000, async () => void (await statementsOnTheDay(ctx))));
	others.push(task("alerts", timing.alertsMs, 1_000, () => lookForAlerts(ctx)));
	if (spawnBacktest) {
		const tender = new BacktestTender({ db: ctx.db, clock: ctx.clock, spawn: spawnBacktest });
		others.push(task("backtests", BACKTESTS_EVERY_MS, 200, () => tender.tend()));
		signal.addEventListener("abort", () => tender.close());
	}
	if (notices) others.push(task("the outbox", timing.deliverMs, 500, () => emptyOutbox(ctx, notices)));
	others.push(task("the meter", timing.meterMs, 100, async () => void (await meterAll(ctx))));
	others.push(
		task("the heartbeat", 1_000, 500, () => writeHeartbeat(ctx.db, { instance: instanceName, atMs: ctx.clock.nowMs(), lastCycle })),
	);
	const wakeAll = (): void => {
		cycle.wake();
		for (const sync of homeSyncs.values()) sync.wake();
		for (const sync of cloudSyncs.values()) sync.wake();
	};
	const listening = await connection.sql.listen(WAKE_CHANNEL, wakeAll, wakeAll);
	signal.addEventListener("abort", () => {
		for (const stop of unsubscribe) stop();
		listening.unlisten().catch(() => {});
	});
	return [cycle, ...homeSyncs.values(), ...cloudSyncs.values(), ...others];
}

async function readOffers(ctx: LoopContext, siteId: string): Promise<void> {
	const driver = ctx.clouds.get(siteId);
	if (!driver) return;
	const atMs = ctx.clock.nowMs();
	try {
		await driver.check();
		const { offers, failedRegions } = await driver.offers();
		await refreshOffers(ctx.db, offers, atMs);
		const message = failedRegions.length > 0 ? `no answer from ${failedRegions.map((r) => r.region).join(", ")}` : null;
		await setSiteHealth(ctx.db, { siteId, healthy: true, message, atMs });
	} catch (error) {
		await setSiteHealth(ctx.db, { siteId, healthy: false, message: messageOf(error), atMs });
		throw error;
	}
}
