import { mkdirSync } from "node:fs";
import path from "node:path";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { type Connection, connect } from "#server/db/client.ts";
import type { ClusterDriver } from "#server/providers/driver.ts";
import { LocalDriver } from "#server/providers/local/local-driver.ts";
import { systemContext } from "#server/services/context.ts";
import { submitJobs } from "#server/services/job/submit.ts";
import type { Outcome } from "./checkers.ts";
import { specOf } from "./command.ts";
import { type AgentCall, ControlPlane, type Verdict } from "./control-plane.ts";
import { type CloudPorts, EmulatedCloud, ourInstanceOf } from "./emulated-cloud.ts";
import { FastClock } from "./fast-clock.ts";
import { KillableScheduler } from "./killable-scheduler.ts";
import { type AgentFile, machineContext, SECRET_KEY } from "./machine-context.ts";
import type { ChaosJob, Plan } from "./plan.ts";
import { HOME, seedWorld } from "./seed-world.ts";
import { TIMING } from "./timing.ts";

export interface WorldOptions {
	plan: Plan;
	/** An empty database of its own, migrated. */
	databaseUrl: string;
	ports: CloudPorts;
	/** How much faster than real time its clock goes. */
	rate?: number;
	agent: AgentFile;
	log(text: string): void;
}

/** Told what happens, synchronously: who dies of it comes to nothing more. */
export interface WorldEvents {
	onStep(step: string): void;
	onCall(when: "before" | "after", call: AgentCall): Promise<Verdict>;
}

/** Everything that a run has: providers, machines, the control plane's face for agents, a database, a scheduler, and home. */
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
	#scheduler: KillableScheduler | null = null;
	#generation = 0;

	/** `folder`: an empty one of its own. */
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
			...{ checkpointRoot: this.#checkpointRoot, agentFile: options.agent.file },
			log: (message, error) => options.log(`${message}: ${String(error)}`),
		});
		this.control = new ControlPlane({ handler, onCall: (when, call) => events.onCall(when, call) });
	}

	get #checkpointRoot(): string {
		return path.join(this.#folder, "checkpoints");
	}

	/** Everything but a scheduler. */
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

	/** All machines of the providers' own books. */
	machines(): Outcome["machines"] {
		return this.clouds.flatMap((cloud) => cloud.book().map((m) => ({ ...m, ourInstance: ourInstanceOf(m), provider: cloud.cloud })));
	}

	async startScheduler(): Promise<void> {
		const drivers = new Map(await Promise.all(this.clouds.map(async (c) => [c.cloud, await c.driver()] as const)));
		const { agent, databaseUrl, log } = this.#options;
		const inUserData = (script: string) => this.clock.inUserData(script);
		this.#scheduler = new KillableScheduler({
			...{ databaseUrl, admin: this.admin.sql, name: `chaos-scheduler-${++this.#generation}`, drivers },
			home: this.#openHome(),
			homeTime: (realMs) => this.clock.at(realMs),
			context: {
				...{ clock: this.clock, timing: TIMING, clusters: new Map(), checkpointRoot: this.#checkpointRoot },
				...machineContext({ controlUrl: this.control.url, agent, inUserData }),
			},
			onStep: (step) => this.#events.onStep(step),
			log,
		});
	}

	/** As SIGKILL does: it comes to nothing behind the step at which this is called. */
	async killScheduler(): Promise<void> {
		await this.#scheduler?.kill();
	}

	async stopScheduler(): Promise<void> {
		await this.#scheduler?.stop();
	}

	/** Cuts every session but those of the run itself. */
	async cutDatabase(): Promise<void> {
		await this.admin.sql`
			select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and application_name like 'chaos-%' and pid <> pg_backend_pid()`;
	}

	/** As a scheduler finds it that is started: all that is known there lies in its folder. */
	#openHome(): ClusterDriver | null {
		const { homeSlots } = this.#options.plan;
		if (homeSlots === 0) return null;
		const settings = { home: path.join(this.#folder, "home"), slots: homeSlots, accelerator: "L40S-48GB", poolId: HOME };
		return new LocalDriver(HOME, settings, this.clock);
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
