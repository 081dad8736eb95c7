import type { CloudDriver, ClusterDriver } from "#server/providers/driver.ts";
import { newCloudMemory, syncCloud } from "./cloud-sync.ts";
import { newClusterMemory, syncCluster } from "./cluster-sync.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";
import { readOffers } from "./read-offers.ts";
import { type Repeating, repeat } from "./repeat.ts";
import { sweepCloud } from "./sweep.ts";

interface RunningSite {
	driver: CloudDriver | ClusterDriver;
	sync: Repeating;
	/** Ends its tasks and waits for what is under way; then nobody uses the driver any more. */
	stop(): Promise<void>;
	close(): Promise<void>;
}

/** What a leader does for each site by itself: reading it, and for clouds prices and the sweep. */
export class SiteTasks {
	readonly #ctx: LoopContext;
	readonly #signal: AbortSignal;
	readonly #pricesSettled: (siteId: string) => void;
	readonly #running = new Map<string, RunningSite>();

	/** @param options.signal the end of the term @param options.pricesSettled called when a cloud's prices were read, or could not be */
	constructor(options: { ctx: LoopContext; signal: AbortSignal; pricesSettled: (siteId: string) => void }) {
		this.#ctx = options.ctx;
		this.#signal = options.signal;
		this.#pricesSettled = options.pricesSettled;
	}

	/** Ends the tasks of drivers that are no longer in the context, closes these, and starts those of new ones. */
	async follow(): Promise<void> {
		const { clusters, clouds } = this.#ctx;
		const gone = [...this.#running].filter(([id, { driver }]) => (clusters.get(id) ?? clouds.get(id)) !== driver);
		await Promise.all(
			gone.map(async ([id, site]) => {
				await site.stop();
				this.#running.delete(id);
				await site.close().catch((error: unknown) => this.#ctx.log("warn", `${id} could not be closed`, { error: messageOf(error) }));
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

	/** After the term's end. Drivers stay open: the next leader in this process goes on with them. */
	async done(): Promise<void> {
		await Promise.all([...this.#running.values()].map((site) => site.stop()));
	}

	#startCluster(driver: ClusterDriver): void {
		const ctx = this.#ctx;
		const memory = newClusterMemory();
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
			const onError = (error: unknown): void => this.#ctx.log("error", `${name} failed and is tried again`, { error: messageOf(error) });
			const made = repeat({ everyMs, minGapMs, run, signal, onError });
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
