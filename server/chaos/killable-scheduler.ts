import type { LoopContext, ProbeStep } from "#server/control-loop/context.ts";
import { ProcessEnd } from "#server/control-loop/messages.ts";
import { runScheduler } from "#server/control-loop/scheduler.ts";
import { type Connection, connect } from "#server/db/client.ts";
import type { CloudDriver, ClusterDriver } from "#server/providers/driver.ts";

export interface SchedulerParts {
	databaseUrl: string;
	/** A separate client of the harness that cuts the sessions of a killed scheduler. */
	admin: Connection["sql"];
	name: string;
	context: Omit<LoopContext, "db" | "probe" | "clouds" | "log">;
	drivers: ReadonlyMap<string, CloudDriver>;
	/** Opened for this scheduler only and closed with it. Work running there continues. */
	home?: ClusterDriver | null;
	/** Converts this host's time to the shared clock, because processes at home report host times. */
	homeTime?(realMs: number): number;
	/** Called at each step; may kill the scheduler. */
	onStep(step: string): void;
	log(text: string): void;
}

/**
 * The control loop with everything that belongs to a scheduler's process: its connections, its drivers, its memory.
 * Once killed it takes no further step: its database sessions are cut, and late responses to its drivers are dropped.
 */
export class KillableScheduler {
	readonly #parts: SchedulerParts;
	readonly #connection: Connection;
	readonly #end = new AbortController();
	#dead = false;
	readonly #done: Promise<void>;

	constructor(parts: SchedulerParts) {
		this.#parts = parts;
		this.#connection = connect(parts.databaseUrl, { max: 4, applicationName: parts.name });
		const connection = { ...this.#connection, single: () => this.#single() };
		const clouds = new Map([...parts.drivers].map(([id, driver]) => [id, this.#mortal(driver)]));
		const ctx: LoopContext = {
			...parts.context,
			...{ db: this.#connection.db, clouds, clusters: this.#clusters(), probe: (step) => this.#pass(step) },
			log: (level, message, facts) => {
				if (!this.#dead) parts.log(`${level}: ${message} ${facts ? JSON.stringify(facts) : ""}`);
			},
		};
		this.#done = runScheduler({ ctx, connection, instanceName: parts.name, signal: this.#end.signal }).catch((error: unknown) => {
			if (!this.#dead) parts.log(`the scheduler ended by itself: ${String(error)}`);
		});
	}

	readonly #singles: Connection["sql"][] = [];

	get isOver(): boolean {
		return this.#dead || this.#end.signal.aborted;
	}

	#single(): Connection["sql"] {
		const client = this.#connection.single();
		this.#singles.push(client);
		return client;
	}

	/** Ends it as SIGKILL would. Returns when none of its sessions is left. */
	async kill(): Promise<void> {
		if (this.#dead) return;
		this.#dead = true;
		this.#end.abort();
		const { admin, name } = this.#parts;
		await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name} and datname = current_database()`;
		for (const client of this.#singles) void client.end({ timeout: 1 }).catch(() => {});
		void this.#connection.end().catch(() => {});
		void this.#parts.home?.close({ stopJobs: false, graceMs: 0 });
	}

	/** Stops it gracefully. */
	async stop(): Promise<void> {
		this.#end.abort();
		await this.#done;
		await this.#parts.home?.close({ stopJobs: false, graceMs: 0 });
		await this.#connection.end();
	}

	#pass(step: ProbeStep): void {
		if (!this.#dead) this.#parts.onStep(step);
		if (this.#dead) throw new ProcessEnd(`killed at ${step}`);
	}

	#clusters(): LoopContext["clusters"] {
		const { home, context, homeTime = (ms: number) => ms } = this.#parts;
		if (!home) return context.clusters;
		const call = async <T>(work: () => Promise<T>): Promise<T> => {
			if (this.#dead) throw new ProcessEnd("killed");
			const result = await work();
			if (this.#dead) throw new ProcessEnd("killed while the cluster was asked");
			return result;
		};
		const mortal: ClusterDriver = {
			siteId: home.siteId,
			provider: home.provider,
			capabilities: home.capabilities,
			queue: home.queue,
			observe: () =>
				call(async () => {
					const seen = await home.observe();
					const at = (ms: number | null) => (ms === null ? null : homeTime(ms));
					const attempts = seen.attempts.map((a) => ({ ...a, startedAtMs: at(a.startedAtMs), finishedAtMs: at(a.finishedAtMs) }));
					return { ...seen, attempts };
				}),
			start: (request) => call(() => home.start(request)),
			stop: (attemptId, graceMs) => call(() => home.stop(attemptId, graceMs)),
			readLogs: (attemptId, cursor, maxBytes) => call(() => home.readLogs(attemptId, cursor, maxBytes)),
			checkpointFolder: (attemptId) => home.checkpointFolder(attemptId),
			listOutput: (attemptId, path) => home.listOutput(attemptId, path),
			forget: (attemptId) => call(() => home.forget(attemptId)),
			subscribe: (onChange) => home.subscribe(onChange),
			close: (options) => home.close(options),
		};
		return new Map([[home.siteId, mortal]]);
	}

	/** Wraps a driver for a process that may die during a call. */
	#mortal(driver: CloudDriver): CloudDriver {
		const call = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
			if (this.#dead) throw new ProcessEnd("killed");
			const answer = work();
			answer.catch(() => {});
			this.#parts.onStep(`sent:${name}`);
			const result = await answer;
			if (this.#dead) throw new ProcessEnd(`killed while ${name} was under way`);
			return result;
		};
		return {
			siteId: driver.siteId,
			provider: driver.provider,
			capabilities: driver.capabilities,
			check: () => call("check", () => driver.check()),
			offers: () => call("offers", () => driver.offers()),
			launch: (request) => call("launch", () => driver.launch(request)),
			describe: (region, ids) => call("describe", () => driver.describe(region, ids)),
			findByToken: (region, id) => call("findByToken", () => driver.findByToken(region, id)),
			list: (alsoIn) => call("list", () => driver.list(alsoIn)),
			terminate: (region, id) => call("terminate", () => driver.terminate(region, id)),
			close: () => driver.close(),
		};
	}
}
