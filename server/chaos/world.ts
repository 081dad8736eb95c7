import { mkdirSync } from "node:fs";
import path from "node:path";
import { eq } from "drizzle-orm";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { type Connection, connect } from "#server/db/client.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { ClusterDriver } from "#server/providers/driver.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { systemContext } from "#server/services/core/context.ts";
import { sha256Of } from "#server/services/work/agent/bootstrap.ts";
import { submitJobs } from "#server/services/work/job/submit.ts";
import type { Outcome } from "./checkers.ts";
import { specOf } from "./command.ts";
import { type AgentCall, ControlPlane, type Verdict } from "./control-plane.ts";
import { type CloudPorts, EmulatedCloud, ourInstanceOf } from "./emulated-cloud.ts";
import { FastClock } from "./fast-clock.ts";
import { identitiesOf } from "./identities.ts";
import { KillableScheduler } from "./killable-scheduler.ts";
import { type AgentFile, machineContext, SECRET_KEY } from "./machine-context.ts";
import type { ChaosJob, Plan } from "./plan.ts";
import { SchedulerProcess } from "./scheduler-process.ts";
import { homeSettings, seedWorld } from "./seed-world.ts";
import { TIMING } from "./timing.ts";

export interface WorldOptions {
	plan: Plan;
	/** An empty, migrated database used by nothing else. */
	databaseUrl: string;
	ports: CloudPorts;
	/** Clock speed relative to real time. */
	rate?: number;
	agent: AgentFile;
	/** Whether schedulers in separate processes also report their logs. */
	verbose?: boolean;
	log(text: string): void;
}

/** Called synchronously for each event, so that a killed process gets no further. */
export interface WorldEvents {
	/** The steps for which `onStep` must be called. */
	readonly watched: string[];
	onStep(step: string): void;
	onCall(when: "before" | "after", call: AgentCall): Promise<Verdict>;
}

/** Everything in a run: providers, machines, the control plane's agent API, a database, a scheduler, and home. */
export class World {
	readonly clock: FastClock;
	readonly clouds: readonly EmulatedCloud[];
	readonly control: ControlPlane;
	readonly admin: Connection;
	/** Where commands leave their traces. */
	readonly book: string;
	readonly log: (text: string) => void;
	readonly #options: WorldOptions;
	readonly #events: WorldEvents;
	readonly #agents: Connection;
	readonly #folder: string;
	#scheduler: KillableScheduler | SchedulerProcess | null = null;
	#dropped: string | null = null;
	#cutOff: ReadonlySet<string> = new Set();
	#schedulersMs = 0;
	#generation = 0;

	/** `folder`: an empty folder used by nothing else. */
	constructor(options: WorldOptions, folder: string, events: WorldEvents) {
		this.#options = options;
		this.#events = events;
		this.#folder = folder;
		this.log = options.log;
		this.clock = new FastClock(options.rate);
		this.book = path.join(folder, "book");
		mkdirSync(this.book);
		const { clock } = this;
		this.clouds = options.plan.clouds.map((cloud) => new EmulatedCloud(cloud, { clock, folder, ports: options.ports }));
		this.admin = connect(options.databaseUrl, { max: 2, applicationName: "chaos" });
		this.#agents = connect(options.databaseUrl, { max: 4, applicationName: "chaos-agents" });
		const handler = createAgentHandler({
			...{ db: this.#agents.db, clock, secretKey: SECRET_KEY, timing: TIMING },
			...{ checkpointRoot: this.#checkpointRoot, artifactRoot: this.#artifactRoot, agentFile: options.agent.file },
			identities: identitiesOf(this.clouds, () => this.control.url),
			log: (message, error) => options.log(`${message}: ${String(error)}`),
		});
		this.control = new ControlPlane({
			handler,
			onCall: async (when, call) => ((await this.#isCutOff(call)) ? "lose" : events.onCall(when, call)),
		});
	}

	get #artifactRoot(): string {
		return path.join(this.#folder, "artifacts");
	}

	get #checkpointRoot(): string {
		return path.join(this.#folder, "checkpoints");
	}

	get #homeFolder(): string {
		return path.join(this.#folder, "home");
	}

	/** Starts everything except a scheduler. */
	async open(): Promise<void> {
		const { clouds, homeSlots, machinesMax, jobs, faults } = this.#options.plan;
		for (const cloud of this.clouds) await cloud.start();
		await this.control.start();
		const spread = jobs.some((job) => job.cloud !== undefined);
		await seedWorld(this.admin.db, this.clock, clouds, { homeSlots, machinesMax, spread });
		for (const fault of faults) for (const cloud of this.clouds) cloud.addFault(fault);
	}

	async submit(jobs: readonly ChaosJob[]): Promise<void> {
		if (jobs.length === 0) return;
		const specs = jobs.map((job) => specOf(job, this.book, this.clock.nowMs()));
		await submitJobs(systemContext(this.admin.db, this.clock, "seed"), specs);
	}

	/** All machines in the providers' records. */
	machines(): Outcome["machines"] {
		return this.clouds.flatMap((cloud) => cloud.book().map((m) => ({ ...m, ourInstance: ourInstanceOf(m), provider: cloud.cloud })));
	}

	/** Does nothing while a scheduler is alive. */
	async startScheduler(): Promise<void> {
		if (this.#scheduler?.isOver === false) return;
		this.#noteUse();
		return this.#options.plan.schedulerProcess ? this.#startProcess() : this.#startInside();
	}

	async #startProcess(): Promise<void> {
		const { agent, databaseUrl, log, plan, ports, verbose = false } = this.#options;
		const { homeSlots: slots } = plan;
		const process = new SchedulerProcess(
			{
				...{ databaseUrl, name: this.#nextName(), agent, verbose, keyFolder: ports.keyFolder, dropped: this.#dropped },
				...{ clock: { startMs: this.clock.startMs, rate: this.clock.rate }, controlUrl: this.control.url },
				...{ folder: this.#folder, checkpointRoot: this.#checkpointRoot, artifactRoot: this.#artifactRoot, watched: this.#events.watched },
				clouds: this.clouds.map(({ cloud, url }) => ({ cloud, url })),
				home: slots === 0 ? null : { folder: this.#homeFolder, slots },
			},
			{ onStep: (step) => this.#events.onStep(step), log },
		);
		this.#scheduler = process;
		await process.ready;
	}

	async #startInside(): Promise<void> {
		const drivers = new Map(await Promise.all(this.clouds.map(async (c) => [c.cloud, await c.driver()] as const)));
		const { agent, databaseUrl, log } = this.#options;
		const inUserData = (script: string) => this.clock.inUserData(script);
		this.#scheduler = new KillableScheduler({
			...{ databaseUrl, admin: this.admin.sql, name: this.#nextName(), drivers },
			home: this.#openHome(),
			homeTime: (realMs) => this.clock.at(realMs),
			context: {
				...{
					clock: this.clock,
					timing: TIMING,
					clusters: new Map(),
					checkpointRoot: this.#checkpointRoot,
					artifactRoot: this.#artifactRoot,
				},
				...machineContext({ controlUrl: this.control.url, agent, inUserData }),
			},
			onStep: (step) => this.#events.onStep(step),
			log,
		});
	}

	#nextName(): string {
		return `chaos-scheduler-${++this.#generation}`;
	}

	/** CPU time of schedulers in separate processes. */
	get schedulersMs(): number {
		this.#noteUse();
		return this.#schedulersMs;
	}

	#noteUse(): void {
		if (!(this.#scheduler instanceof SchedulerProcess) || !this.#scheduler.isOver) return;
		this.#schedulersMs += this.#scheduler.usedMs;
		this.#scheduler = null;
	}

	/** Reduces the prices of the cloud's region to a tenth from now on. */
	drop(cloud: EmulatedCloud, region: string): void {
		cloud.drop(region);
		this.#dropped = region;
		if (this.#scheduler instanceof SchedulerProcess) this.#scheduler.drop(region);
	}

	/** Drops all calls from machines in these regions from now on; empty: drops none. */
	cutOff(regions: readonly string[]): void {
		this.#cutOff = new Set(regions);
	}

	async #isCutOff({ token, enrolling }: AgentCall): Promise<boolean> {
		if (this.#cutOff.size === 0) return false;
		const caller = token === null ? eq(instance.id, enrolling ?? "") : eq(instance.agentTokenHash, sha256Of(token));
		const [row] = await this.admin.db.select({ region: instance.region }).from(instance).where(caller);
		return row !== undefined && this.#cutOff.has(row.region);
	}

	/** Sends SIGKILL or acts like it: the scheduler does nothing past the step where this is called. */
	async killScheduler(): Promise<void> {
		await this.#scheduler?.kill();
	}

	async stopScheduler(): Promise<void> {
		await this.#scheduler?.stop();
	}

	/** Cuts every session except the run's own. */
	async cutDatabase(): Promise<void> {
		await this.admin.sql`
			select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and application_name like 'chaos-%' and pid <> pg_backend_pid()`;
	}

	/** Opens home as a newly started scheduler would: all its state is in its folder. */
	#openHome(): ClusterDriver | null {
		const { homeSlots } = this.#options.plan;
		if (homeSlots === 0) return null;
		return new LocalDriver(...homeSettings({ folder: this.#homeFolder, slots: homeSlots }), this.clock);
	}

	async dispose(): Promise<void> {
		await this.#scheduler?.kill();
		await this.control.stop();
		await this.#openHome()?.close({ stopJobs: true, graceMs: 0 });
		await Promise.all(this.clouds.map((cloud) => cloud.dispose()));
		await this.#agents.end();
		await this.admin.end();
	}
}
