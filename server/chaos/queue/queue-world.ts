import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { connect } from "#server/db/client.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { SlurmDriver } from "#server/providers/slurm/driver.ts";
import { type SlurmCluster, startSlurm } from "#server/providers/slurm/testing/slurm-cluster.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { submitJobs } from "#server/services/work/job/submit.ts";
import { ControlPlane } from "../control-plane.ts";
import { type CloudPorts, EmulatedCloud } from "../emulated-cloud.ts";
import { FastClock } from "../fast-clock.ts";
import { KillableScheduler } from "../killable-scheduler.ts";
import { type AgentFile, machineContext, SECRET_KEY } from "../machine-context.ts";
import { seedSites } from "../seed-world.ts";
import { QUEUE_STOCK } from "./stock.ts";

/** Any user of the host who is neither root nor Spillway. */
const OTHER = "games";
const SITE = "cluster";
const LOOK_MS = 50;

/** Slurm uses real time, so everything does. Only the pauses are shorter than in production. */
const TIMING = timingSchema.parse({
	...{ stopGraceMs: 3_000, readyTimeoutMs: 120_000, agentSilentMs: 60_000, heartbeatMs: 1_000, callRetryMs: 500 },
	...{ launchForgetMs: 20_000, vanishMs: 20_000, backoffBaseMs: 1_000, backoffMaxMs: 5_000, offerCooldownMs: 2_000, homeSettleMs: 1_000 },
	...{ tickMs: 100, syncMs: 200, sweepMs: 2_000, meterMs: 500, offersEveryMs: 5_000 },
	cloudStartMs: { p50Ms: 2_000, p90Ms: 5_000 },
});

const POLICY = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - id: adopt
      adopt: { team: research, partitions: [gpu] }
    - id: burst-on-wait
      burst: { after: { forecastWait: 1s } }
    - id: on-demand
      require: { capacityType: on_demand }
    - id: life
      limit: { instanceHours: 1 }
  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: 100000, atCap: hold }
  weights: { delayUsdPerHour: 1000, carbonUsdPerTonne: 0 }
`;

export interface QueueWorldOptions {
	/** An empty, migrated database used by nothing else. */
	databaseUrl: string;
	ports: CloudPorts;
	agent: AgentFile;
	nodes: number;
	gpusPerNode: number;
	/** Whether the cluster uses slurmdbd accounting and multifactor priority; otherwise it logs ends to a file and orders by number. */
	accounting?: boolean;
	/** Called at each step of a scheduler; may kill it. */
	onStep?: (step: string) => void;
	log(text: string): void;
}

/** A real Slurm with its own queue and a cloud of emulated machines that really run their jobs, under one policy. */
export class QueueWorld {
	readonly slurm: SlurmCluster;
	readonly cloud: EmulatedCloud;
	/** The other user's folder on the cluster's shared file system, and the folder where every command leaves its traces. */
	readonly home: string;
	readonly book: string;
	readonly connection;
	readonly #options: QueueWorldOptions;
	readonly #clock = new FastClock(1);
	readonly #folder: string;
	readonly #control: ControlPlane;
	readonly #agents;
	#scheduler: KillableScheduler | null = null;
	/** Number of schedulers started so far. */
	generation = 0;

	private constructor(options: QueueWorldOptions, slurm: SlurmCluster) {
		this.#options = options;
		this.slurm = slurm;
		this.#folder = mkdtempSync(path.join(os.tmpdir(), "spillway-queue-"));
		chmodSync(this.#folder, 0o711);
		this.home = path.join(slurm.shared, "other");
		this.book = path.join(this.#folder, "book");
		mkdirSync(this.book);
		chmodSync(this.book, 0o777);
		// Create it up front, because its writers differ: cloud machines run as root, cluster jobs as the other user.
		writeFileSync(path.join(this.book, "log"), "");
		chmodSync(path.join(this.book, "log"), 0o666);
		const { ports, databaseUrl, agent, log } = options;
		this.cloud = new EmulatedCloud("aws", { clock: this.#clock, folder: this.#folder, ports, stock: QUEUE_STOCK });
		this.connection = connect(databaseUrl, { max: 3, applicationName: "queue" });
		this.#agents = connect(databaseUrl, { max: 4, applicationName: "queue-agents" });
		const handler = createAgentHandler({
			...{ db: this.#agents.db, clock: this.#clock, secretKey: SECRET_KEY, timing: TIMING },
			...{ checkpointRoot: this.#checkpointRoot, artifactRoot: this.#artifactRoot, agentFile: agent.file },
			log: (message, error) => log(`${message}: ${String(error)}`),
		});
		this.#control = new ControlPlane({ handler, onCall: async () => "answer" });
	}

	/** Everything but a scheduler. */
	static async open(options: QueueWorldOptions): Promise<QueueWorld> {
		const { nodes, gpusPerNode, accounting = false } = options;
		const world = new QueueWorld(options, await startSlurm({ nodes, gpusPerNode, accounting }));
		await world.#prepare();
		return world;
	}

	async #prepare(): Promise<void> {
		const { slurm, home } = this;
		await mkdir(home);
		await chown(home, Number(await slurm.command("id", "-u", OTHER)), Number(await slurm.command("id", "-g", OTHER)));
		if (this.#options.accounting) await this.#openAccounts();
		await mkdir(this.#siteFolder);
		await writeFile(this.#tokenFile, await slurm.token(86_400), { mode: 0o600 });
		await this.cloud.start();
		await this.#control.start();
		const { nodes, gpusPerNode } = this.#options;
		await seedSites(this.connection.db, this.#clock, {
			sites: [
				{ id: SITE, provider: "slurm", settings: this.#settings },
				{ id: "aws", provider: "aws", settings: { regions: QUEUE_STOCK.regions } },
			],
			pools: [
				{
					...{ id: `gpu-h100x${gpusPerNode}`, siteId: SITE, accelerator: "H100-80GB", nodes, gpusPerNode },
					...{ microUsdPerGpuHour: 1_000_000n, wattsPerGpu: 700 },
				},
			],
			policy: POLICY,
		});
	}

	/** Users without an accounting entry cannot submit. */
	async #openAccounts(): Promise<void> {
		const { slurm } = this;
		await slurm.command("sacctmgr", "-i", "add", "account", "research");
		for (const user of ["root", OTHER]) await slurm.command("sacctmgr", "-i", "add", "user", user, "account=research");
	}

	/** Every job of the cluster from `sacct`, once: number, name, state, start and end, separated by `|`. */
	async sacct(): Promise<string[]> {
		const from = this.#options.accounting ? ["--allusers", "--allocations", "--starttime=now-1days"] : ["--completion"];
		const text = await this.slurm.command("sacct", ...from, "-n", "-P", "-o", "jobid,jobname,state,start,end");
		return text.split("\n");
	}

	get #artifactRoot(): string {
		return path.join(this.#folder, "artifacts");
	}

	get #checkpointRoot(): string {
		return path.join(this.#folder, "checkpoints");
	}
	get #siteFolder(): string {
		return path.join(this.slurm.shared, "site");
	}
	get #tokenFile(): string {
		return path.join(this.slurm.shared, "..", "token");
	}
	get #settings() {
		const scontrol = ["env", `SLURM_CONF=${this.slurm.conf}`, "scontrol"];
		const quick = { pendingPollMs: 200, runningPollMs: 300, nodesPollMs: 300, queuePollMs: 200, exitSettleMs: 2_000 };
		const place = { url: this.slurm.url, user: "root", token: { file: this.#tokenFile }, folder: this.#siteFolder };
		return { ...place, ...quick, scontrol, accelerators: { h100: "H100-80GB" } };
	}

	async startScheduler(): Promise<void> {
		const { agent, databaseUrl, log, onStep } = this.#options;
		this.#scheduler = new KillableScheduler({
			...{ databaseUrl, admin: this.connection.sql, name: `queue-scheduler-${++this.generation}` },
			drivers: new Map([["aws", await this.cloud.driver()]]),
			context: {
				...{ clock: this.#clock, timing: TIMING, checkpointRoot: this.#checkpointRoot, artifactRoot: this.#artifactRoot },
				clusters: new Map([[SITE, new SlurmDriver(SITE, this.#settings)]]),
				...machineContext({ controlUrl: this.#control.url, agent }),
			},
			onStep: (step) => onStep?.(step),
			log,
		});
	}

	/** Acts like SIGKILL. No scheduler leads until the next start. */
	async killScheduler(): Promise<void> {
		await this.#scheduler?.kill();
	}

	/** Submits a script as the other user with plain `sbatch`. Returns the job number. */
	async sbatch(script: string, { options = [], args = [] }: { options?: string[]; args?: string[] } = {}): Promise<string> {
		const file = path.join(this.home, `${/--job-name=(\S+)/.exec(script)?.[1] ?? "script"}.sh`);
		await writeFile(file, script);
		return this.as("sbatch", "--parsable", ...options, file, ...args);
	}

	/** Runs a Slurm program as the other user. */
	as(program: string, ...args: string[]): Promise<string> {
		return this.slurm.commandAs(OTHER, this.home, program, ...args);
	}

	submit(specs: readonly JobSpec[]): Promise<string[]> {
		return submitJobs(systemContext(this.connection.db, this.#clock, "seed"), specs);
	}

	/** Content of one of the other user's files; null while it does not exist. */
	file(name: string): Promise<string | null> {
		return readFile(path.join(this.home, name), "utf8").catch(() => null);
	}

	/** Polls until the condition holds. @throws after `limitMs`, with the expected condition and the current state */
	async until(what: string, look: () => Promise<boolean>, limitMs = 600_000): Promise<void> {
		const end = performance.now() + limitMs;
		while (performance.now() < end) {
			if (await look()) return;
			await sleep(LOOK_MS);
		}
		throw new Error(`waited ${limitMs} ms without success until ${what}; ${await this.#story()}`);
	}

	async #story(): Promise<string> {
		const { sql } = this.connection;
		const jobs = await sql`select name, state, reason from job where finished_at is null`;
		const adoptions = await sql`select foreign_id, state, why, problem from adoption`;
		const queue = await this.slurm.command("squeue", "-h", "-o", "%i %j %T %r").catch(String);
		return JSON.stringify({ jobs, adoptions, queue: queue.split("\n") });
	}

	async close(): Promise<void> {
		await this.#scheduler?.kill();
		await this.#control.stop();
		await this.cloud.dispose();
		await this.#agents.end();
		await this.connection.end();
		await this.slurm.stop();
		rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
	}
}
