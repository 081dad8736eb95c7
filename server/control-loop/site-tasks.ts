import type { CloudDriver, ClusterDriver } from "#server/providers/driver.ts";
import { newCloudMemory, syncCloud } from "./cloud-sync.ts";
import { newClusterMemory, syncCluster } from "./cluster-sync.ts";
import type { LoopContext } from "./context.ts";
import { failureLogger } from "./failure-logger.ts";
import { messageOf } from "./messages.ts";
import { readOffers } from "./read-offers.ts";
import { type Repeating, repeat } from "./repeat.ts";
import { sweepCloud } from "./sweep.ts";

interface RunningSite {
	driver: CloudDriver | ClusterDriver;
	sync: Repeating;
	/** Stops its tasks and waits for them, so that the driver is no longer in use. */
	stop(): Promise<void>;
	close(): Promise<void>;
}

/** The leader's tasks per site: sync, and for clouds prices and sweeps. */
export class SiteTasks {
	readonly #ctx: LoopContext;
	readonly #signal: AbortSignal;
	readonly #pricesSettled: (siteId: string) => void;
	readonly #running = new Map<string, RunningSite>();

	/** @param options.signal ends the term @param options.pricesSettled called when a cloud's prices were read or failed */
	constructor(options: { ctx: LoopContext; signal: AbortSignal; pricesSettled: (siteId: string) => void }) {
		this.#ctx = options.ctx;
		this.#signal = options.signal;
		this.#pricesSettled = options.pricesSettled;
	}

	/** Stops the tasks of removed drivers, closes them, and starts tasks for new ones. */
	async follow(): Promise<void> {
		const { clusters, clouds } = this.#ctx;
		const gone = [...this.#running].filter(([id, { driver }]) => (clusters.get(id) ?? clouds.get(id)) !== driver);
		await Promise.all(
			gone.map(async ([id, site]) => {
				await site.stop();
				this.#running.delete(id);
				await site.close().catch((error: unknown) => this.#ctx.log("warn", `Could not close ${id}`, { error: messageOf(error) }));
			}),
		);
		if (this.#signal.aborted) return;
		for (const driver of clusters.values()) if (!this.#running.has(driver.siteId)) this.#startCluster(driver);
		for (const driver of clouds.values()) if (!this.#running.has(driver.siteId)) this.#startCloud(driver);
	}

	wake(siteId: string): void {
		this.#running.get(siteId)?.sync.wake();
	}

	wakeAll(): void {
		for (const { sync } of this.#running.values()) sync.wake();
	}

	/** Called after the term. Drivers stay open for the next term of this process. */
	async done(): Promise<void> {
		await Promise.all([...this.#running.values()].map((site) => site.stop()));
	}

	#startCluster(driver: ClusterDriver): void {
		const ctx = this.#ctx;
		const memory = newClusterMemory(() => this.wake(driver.siteId));
		const own = this.#ownTasks();
		const sync = own.task(`reading ${driver.siteId}`, ctx.timing.tickMs, 5, () => syncCluster(ctx, driver, memory));
		const unsubscribe = driver.subscribe(() => sync.wake());
		const stop = async (): Promise<void> => {
			unsubscribe();
			await own.stop();
		};
		this.#running.set(driver.siteId, { driver, sync, stop, close: () => driver.close({ stopJobs: false, graceMs: 0 }) });
	}

	#startCloud(driver: CloudDriver): void {
		const ctx = this.#ctx;
		const { siteId } = driver;
		const memory = newCloudMemory();
		const own = this.#ownTasks();
		const sync = own.task(`reading ${siteId}`, ctx.timing.syncMs, 20, () => syncCloud(ctx, driver, memory));
		own.task(`prices of ${siteId}`, ctx.timing.offersEveryMs, 1_000, () =>
			readOffers(ctx, driver).finally(() => this.#pricesSettled(siteId)),
		);
		own.task(`the sweep of ${siteId}`, ctx.timing.sweepMs, 1_000, async () => void (await sweepCloud(ctx, driver)));
		const stop = async (): Promise<void> => {
			await own.stop();
			await Promise.allSettled(memory.underWay.values());
		};
		this.#running.set(siteId, { driver, sync, stop, close: () => driver.close() });
	}

	/** Tasks that end with the term, or before it with their site. */
	#ownTasks() {
		const ended = new AbortController();
		const signal = AbortSignal.any([this.#signal, ended.signal]);
		const tasks: Repeating[] = [];
		const task = (name: string, everyMs: number, minGapMs: number, run: () => Promise<void>): Repeating => {
			const made = repeat({ everyMs, minGapMs, run, signal, onError: failureLogger(this.#ctx, name) });
			tasks.push(made);
			return made;
		};
		const stop = async (): Promise<void> => {
			ended.abort();
			await Promise.all(tasks.map((t) => t.done));
		};
		return { task, stop };
	}
}
