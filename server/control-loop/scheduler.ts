import type { Connection } from "#server/db/client.ts";
import { BACKGROUND_CHANNEL, BACKTEST_SOON, SITES_CHANNEL, WAKE_CHANNEL } from "#server/db/notify.ts";
import type { Expiry } from "#server/domain/alert-facts.ts";
import type { Retention } from "#server/domain/retention.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { writeHeartbeat } from "#server/services/core/heartbeat.ts";
import { cycleSeconds } from "#server/services/core/process-metrics.ts";
import { deleteExpiredUploads } from "#server/services/core/upload.ts";
import type { Term } from "#server/services/decision/background/table.ts";
import { BackgroundTender, type BackgroundWorker } from "#server/services/decision/background/tend.ts";
import { checkTriggers } from "#server/services/decision/trigger/check.ts";
import type { ListObjects } from "#server/services/decision/trigger/check-location.ts";
import { applyRetention } from "#server/services/governance/retention/apply.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { createMonthsAhead } from "#server/services/ledger/charge/months-ahead.ts";
import { checkLedgerWhenDue } from "#server/services/ledger/charge/nightly-check.ts";
import { recordExpiries } from "#server/services/overview/expiry/record.ts";
import { runStatementDay } from "#server/services/reporting/statement/on-the-day.ts";
import { deleteExpiredArtifacts } from "#server/services/work/artifact/delete.ts";
import { deleteBrokenUploads } from "#server/services/work/artifact/tidy.ts";
import { tidyCheckpoints } from "#server/services/work/checkpoint/tidy.ts";
import { tidyStoredCheckpoints } from "#server/services/work/checkpoint/tidy-store.ts";
import { type LineageReceiver, sendLineage } from "#server/services/work/lineage/send.ts";
import { moveLogs } from "#server/services/work/log/move.ts";
import type { LogStore } from "#server/services/work/log/store.ts";
import type { MlflowServer } from "#server/services/work/mlflow/client.ts";
import { forwardRuns } from "#server/services/work/mlflow/forward.ts";
import { type SendSpans, sendTraces } from "#server/services/work/trace/send.ts";
import { auditChain } from "./audit-chain.ts";
import type { BacktestWorkers } from "./backtest-workers.ts";
import type { LoopContext } from "./context.ts";
import { CopiesAhead, type DataCopier } from "./copies-ahead.ts";
import { newCycleMemory, runCycle } from "./cycle.ts";
import { failureLogger } from "./failure-logger.ts";
import { FirstPrices } from "./first-prices.ts";
import { type CarbonApi, readGridIntensity } from "./grid-intensity.ts";
import { becomeLeader, type Leadership, pause } from "./leadership.ts";
import { checkLeases, newLeaseMemory } from "./leases.ts";
import { emptyOutbox, lookForAlerts, type NoticeSettings } from "./notices.ts";
import { waitRecorder } from "./record-waits.ts";
import { type Repeating, repeat } from "./repeat.ts";
import { awaitReview } from "./restored.ts";
import { ResultDeliveries } from "./result-deliveries.ts";
import { SiteTasks } from "./site-tasks.ts";

const LEADER_RETRY_MS = 500;
const LEADER_CHECK_MS = 1_000;
/** Requests wake it. Usually there is nothing to do: one indexed read. */
const BACKTESTS_EVERY_MS = 1_000;
/** Changes send a notification; this finds the others, such as a replaced credentials file. */
const SITES_EVERY_MS = 10_000;
const TRIGGERS_EVERY_MS = 1_000;
const TRACES_EVERY_MS = 2_000;
const LINEAGE_EVERY_MS = 5_000;
const MLFLOW_EVERY_MS = 5_000;
/** Usually there is no work: one read. Requests wake it. */
const COPIES_EVERY_MS = 10_000;
/** Reads are compared over 30 days, so minutes do not matter. */
const SHARING_EVERY_MS = 10 * MINUTE_MS;
/** Usually there is nothing to do: one index probe per attempt with lines in the database. */
const LOGS_EVERY_MS = 10_000;
/** Usually there is nothing to do: two reads. */
const STATEMENTS_EVERY_MS = 10 * MINUTE_MS;

export interface SchedulerOptions {
	ctx: LoopContext;
	connection: Connection;
	/** Name of this process in the heartbeat. */
	instanceName: string;
	signal: AbortSignal;
	/** Cleanup of a stopping leader before it gives up leadership. */
	beforeResign?: () => Promise<void>;
	/** Brings the drivers of `ctx` in line with the sites' rows; without it they stay as they are. */
	lookAtSites?: () => Promise<void>;
	/** Where the grid's intensity is read each hour; without it imports and the shipped averages apply. */
	carbonApi?: CarbonApi;
	/** How messages are sent; without it the outbox is left to another scheduler. */
	notices?: NoticeSettings;
	/** Copies data into the stores of regions; without it jobs wait for them until another scheduler has it. */
	dataCopier?: DataCopier;
	/** Lists the locations of triggers; without it triggers are left to another scheduler. */
	listObjects?: ListObjects;
	/** Finds when certificates and credentials expire; without it there are no warnings. */
	findExpiries?: () => Promise<Expiry[]>;
	/** Sends traces; without it traced jobs are left to another scheduler. */
	sendSpans?: SendSpans;
	/** Receives OpenLineage events; without it lineage is off. */
	lineage?: LineageReceiver;
	/** Runs are forwarded there; without it none are. */
	mlflow?: MlflowServer;
	/** Folder that contains the targets of `home:` deliveries; without it they are left to another scheduler. */
	deliveryRoot?: string;
	/** Retention limits; without them, or without a log store, nothing is deleted. */
	retention?: Retention;
	/** Processes that work on backtests; without them they are left to another scheduler. */
	backtestWorkers?: BacktestWorkers;
	/** Starts a process that works on a plan study; without it they are left to another scheduler. */
	spawnStudy?: (term: Term) => BackgroundWorker;
}

/** Runs until the signal: waits to be the leader, leads, and when leadership is lost, waits again. */
export async function runScheduler(options: SchedulerOptions): Promise<void> {
	const { ctx, connection, signal } = options;
	const logFailure = failureLogger(ctx, "The term");
	while (!signal.aborted) {
		try {
			const leadership = await becomeLeader(connection.single(), { retryMs: LEADER_RETRY_MS, signal });
			if (!leadership) return;
			ctx.log("info", "This scheduler is the leader", { instance: options.instanceName });
			try {
				await lead(options, leadership);
			} finally {
				// However the term ends, release the lock: an unused connection that holds it would leave the system without a leader.
				await leadership.resign().catch(() => {});
			}
		} catch (error) {
			logFailure(error);
			await pause(LEADER_RETRY_MS, signal);
		}
	}
}

/** One term, until the signal or until leadership is lost. All its work ends with it. */
async function lead(options: SchedulerOptions, leadership: Leadership): Promise<void> {
	const { signal } = options;
	const term = new AbortController();
	const end = (): void => term.abort();
	signal.addEventListener("abort", end);
	try {
		// Check for shutdown after acquiring the lock; otherwise a stopping process would keep leading.
		if (signal.aborted) end();
		const tasksDone = term.signal.aborted ? async () => {} : await startTasks(options, term.signal);
		while (!term.signal.aborted && (await leadership.stillHeld())) await pause(LEADER_CHECK_MS, term.signal);
		term.abort();
		await tasksDone();
		if (signal.aborted) await options.beforeResign?.();
	} finally {
		term.abort();
		signal.removeEventListener("abort", end);
	}
}

/**
 * Starts the leader's tasks. They run independently, so a slow provider delays no other task. Returns a function that waits for
 * all of them to end after the signal.
 */
async function startTasks(options: SchedulerOptions, signal: AbortSignal): Promise<() => Promise<void>> {
	const { ctx, connection, instanceName, lookAtSites, carbonApi, notices, dataCopier, retention } = options;
	const { deliveryRoot } = options;
	const { timing } = ctx;
	const task: Task = (name, everyMs, minGapMs, run) =>
		repeat({
			everyMs,
			minGapMs,
			run,
			signal,
			onError: failureLogger(ctx, name),
		});

	await lookAtSites?.();
	let lastCycle: Awaited<ReturnType<typeof runCycle>> | null = null;
	const beat = (): Promise<void> => writeHeartbeat(ctx.db, { instance: instanceName, atMs: ctx.clock.nowMs(), lastCycle });
	await awaitReview(ctx, signal, beat);
	if (signal.aborted) return async () => {};
	const others: Repeating[] = [];
	const copies = dataCopier ? new CopiesAhead(ctx, dataCopier, signal) : null;
	const copying = copies && task("copying data ahead", COPIES_EVERY_MS, 100, () => copies.tend());
	if (copying)
		others.push(
			copying,
			task("sharing copies of data", SHARING_EVERY_MS, 1_000, () => copies.share()),
			task("tidying copies of data", HOUR_MS, 1_000, () => copies.tidy()),
		);
	const tools = dataCopier && deliveryRoot !== undefined ? { homeRoot: deliveryRoot, copier: dataCopier } : null;
	const deliveries = tools && new ResultDeliveries(ctx, tools, signal);
	if (deliveries) others.push(task("delivering results", timing.deliverMs, 500, () => deliveries.tend()));
	const memory = newCycleMemory();
	const firstPrices = new FirstPrices(ctx.clouds.keys(), ctx.clock.nowMs());
	const cycle = task("a cycle", timing.tickMs, 5, async () => {
		lastCycle = await runCycle(ctx, memory, { mayLaunch: firstPrices.areIn(ctx.clock.nowMs()) });
		observeCycle(lastCycle);
		for (const id of [...lastCycle.home, ...lastCycle.clouds]) sites.wake(id);
		if (lastCycle.copies) copying?.wake();
	});
	const sites = new SiteTasks({
		ctx,
		signal,
		pricesSettled: (siteId) => {
			firstPrices.settle(siteId);
			cycle.wake();
		},
	});
	await sites.follow();
	if (lookAtSites) {
		const look = task("looking at the sites", SITES_EVERY_MS, 200, async () => {
			await lookAtSites();
			await sites.follow();
		});
		others.push(look);
		const listener = await connection.sql.listen(SITES_CHANNEL, look.wake, look.wake);
		signal.addEventListener("abort", () => void listener.unlisten().catch(() => {}));
	}
	others.push(task("deleting old checkpoints and artifacts", HOUR_MS, 1_000, () => deleteOldFiles(ctx)));
	if (ctx.logs) others.push(...logTasks({ ...ctx, logs: ctx.logs }, retention, task, signal));
	others.push(...bookkeeping(ctx, task, signal), ...whereConfigured(options, task));
	if (carbonApi) others.push(task("the grid's intensity", HOUR_MS / 4, 1_000, () => readGridIntensity(ctx, carbonApi, signal)));
	others.push(...(await startBackground(options, task, signal)));
	if (notices) others.push(task("the outbox", timing.deliverMs, 500, () => emptyOutbox(ctx, notices)));
	const leases = newLeaseMemory();
	others.push(task("leases", timing.syncMs, 20, () => checkLeases(ctx, leases)));
	others.push(task("waits", timing.meterMs, 1_000, waitRecorder(ctx)));
	others.push(task("the heartbeat", 1_000, 500, beat));
	const wakeAll = (): void => {
		cycle.wake();
		sites.wakeAll();
	};
	const listening = await connection.sql.listen(WAKE_CHANNEL, wakeAll, wakeAll);
	signal.addEventListener("abort", () => void listening.unlisten().catch(() => {}));
	return async () => {
		await Promise.all([cycle, ...others].map((t) => t.done));
		await sites.done();
		await copies?.done();
		await deliveries?.done();
	};
}

/** Tasks for backtests and plan studies, woken by requests. */
async function startBackground(options: SchedulerOptions, task: Task, signal: AbortSignal): Promise<Repeating[]> {
	const { backtestWorkers: workers } = options;
	const tasks = backgroundTenders(options, signal).map(({ name, tend }) => task(name, BACKTESTS_EVERY_MS, 200, tend));
	if (tasks.length === 0) return [];
	const wakeTasks = (payload?: string): void => {
		if (payload === BACKTEST_SOON) workers?.prepare();
		else for (const { wake } of tasks) wake();
	};
	const requests = await options.connection.sql.listen(BACKGROUND_CHANNEL, wakeTasks, wakeTasks);
	signal.addEventListener("abort", () => {
		requests.unlisten().catch(() => {});
		workers?.close();
	});
	return tasks;
}

/** Manages backtests and plan studies, if this scheduler can start their workers. */
function backgroundTenders({ ctx, backtestWorkers: workers, spawnStudy }: SchedulerOptions, signal: AbortSignal) {
	const kinds = [
		{ kind: "backtest" as const, name: "backtests", spawn: workers && ((term: Term) => workers.spawn(term)) },
		{ kind: "study" as const, name: "plan studies", spawn: spawnStudy },
	];
	return kinds.flatMap(({ kind, name, spawn }) => {
		if (!spawn) return [];
		const tender = new BackgroundTender({ kind, db: ctx.db, clock: ctx.clock, spawn });
		signal.addEventListener("abort", () => tender.close());
		return [{ name, tend: () => tender.tend() }];
	});
}

type Task = (name: string, everyMs: number, minGapMs: number, run: () => Promise<void>) => Repeating;

/** Tasks that need a dependency which this scheduler may lack. */
function whereConfigured({ ctx, listObjects, findExpiries, sendSpans, lineage, mlflow }: SchedulerOptions, task: Task): Repeating[] {
	const tasks: Repeating[] = [];
	if (listObjects) {
		const actor = { ...systemContext(ctx.db, ctx.clock), timing: ctx.timing };
		// Usually no trigger is due: one indexed read.
		tasks.push(task("triggers", TRIGGERS_EVERY_MS, 500, async () => void (await checkTriggers(actor, listObjects))));
	}
	if (findExpiries) tasks.push(task("expiring credentials", HOUR_MS, 1_000, async () => recordExpiries(ctx.db, await findExpiries())));
	if (sendSpans) tasks.push(task("traces", TRACES_EVERY_MS, 200, async () => void (await sendTraces(ctx, sendSpans))));
	if (lineage) tasks.push(task("lineage", LINEAGE_EVERY_MS, 200, async () => void (await sendLineage(ctx, lineage))));
	if (mlflow) tasks.push(task("MLflow", MLFLOW_EVERY_MS, 200, async () => void (await forwardRuns(ctx, mlflow))));
	return tasks;
}

/** Ledger, audit, statements and alerts. */
function bookkeeping(ctx: LoopContext, task: Task, signal: AbortSignal): Repeating[] {
	const { timing } = ctx;
	const chain = auditChain(ctx, signal);
	return [
		task("the meter", timing.meterMs, 100, async () => void (await meterAll(ctx))),
		task("the ledger's next month", HOUR_MS, 1_000, () => createMonthsAhead(ctx)),
		task("the ledger's check", timing.ledgerCheckMs, 1_000, async () => void (await checkLedgerWhenDue(ctx))),
		task("sealing the audit", timing.auditSealMs, 100, chain.seal),
		task("the audit's check", timing.auditCheckMs, 1_000, chain.check),
		task("statements on the day set", STATEMENTS_EVERY_MS, 1_000, async () => void (await runStatementDay(ctx))),
		task("alerts", timing.alertsMs, 1_000, () => lookForAlerts(ctx)),
	];
}

function observeCycle({ loadMs, decideMs, applyMs }: Awaited<ReturnType<typeof runCycle>>): void {
	for (const [part, ms] of Object.entries({ load: loadMs, decide: decideMs, apply: applyMs })) cycleSeconds.observe({ part }, ms / 1000);
}

type Logs = LoopContext & { logs: LogStore };

function logTasks(ctx: Logs, retention: Retention | undefined, task: Task, signal: AbortSignal): Repeating[] {
	const tasks = [task("moving logs", LOGS_EVERY_MS, 1_000, async () => void (await moveLogs(ctx, signal)))];
	if (retention) tasks.push(task("retention", HOUR_MS, 1_000, () => deleteOldRows(ctx, retention, signal)));
	return tasks;
}

async function deleteOldRows(ctx: Logs, limits: Retention, signal: AbortSignal): Promise<void> {
	const deleted = await applyRetention(ctx, limits, signal);
	if (Object.values(deleted).some((count) => count > 0)) ctx.log("info", "Retention deleted rows", deleted);
}

/** Deletes checkpoints that no restore needs, those of jobs that ended long ago, expired artifacts, unused uploads and what broken ones left. */
async function deleteOldFiles(ctx: LoopContext): Promise<void> {
	await tidyCheckpoints(ctx.db, ctx.checkpointRoot, ctx.clock.nowMs());
	if (ctx.stores) await tidyStoredCheckpoints(ctx.db, ctx.stores, ctx.clock.nowMs());
	await deleteExpiredUploads(ctx.db, ctx.clock.nowMs());
	await deleteBrokenUploads(ctx.artifactRoot, ctx.clock.nowMs());
	await deleteExpiredArtifacts(ctx.db, { root: ctx.artifactRoot, stores: ctx.stores ?? null }, ctx.clock.nowMs());
}
