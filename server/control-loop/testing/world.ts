import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { account, team } from "#server/db/schema/account.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { pool, site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { parseJobDocument } from "#server/domain/job-file.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { newId } from "#server/kernel/ids.ts";
import type { ClusterDriver } from "#server/providers/driver.ts";
import { FakeCloud, type FakeCloudOptions } from "#server/providers/fake/fake-cloud.ts";
import { FakeCluster, type FakeClusterOptions } from "#server/providers/fake/fake-cluster.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { systemContext } from "#server/services/core/context.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { refreshOffers } from "#server/services/pricing/offer/refresh.ts";
import { markRunning, markStaging } from "#server/services/work/attempt/advance.ts";
import { endMember } from "#server/services/work/attempt/end-member.ts";
import { commitCheckpoint } from "#server/services/work/checkpoint/store.ts";
import { submitJobs } from "#server/services/work/job/submit.ts";
import { type CloudMemory, newCloudMemory, syncCloud } from "../cloud-sync.ts";
import { newClusterMemory, syncCluster } from "../cluster-sync.ts";
import type { LoopContext, ProbeStep } from "../context.ts";
import { newCycleMemory, runCycle } from "../cycle.ts";
import { checkLeases, newLeaseMemory } from "../leases.ts";
import { ProcessEnd } from "../messages.ts";
import { sweepCloud } from "../sweep.ts";
import type { Rows, Truth } from "./promises/observed.ts";

const START_MS = Date.UTC(2026, 10, 2, 8);
const TICK_MS = 1_000;
const METER_EVERY_TICKS = 10;
const CONTROL_PLANE = "spw-test";
/** A tick does one thing after the other; each further session would prepare the same statements again. */
const CONNECTIONS_MAX = 3;

export interface WorldOptions {
	/** Slots at home. */
	slots: number;
	/** Opens a site of another kind at home, for the loop to use instead of the fake one; once for each process. */
	home?: () => ClusterDriver;
	/** Where its clock begins; a Monday morning without it. */
	startMs?: number;
	capUsd?: number;
	/** Behavior of the machines' agents: how long a command runs, ms. */
	runMs?: number;
	cloud?: Partial<Pick<FakeCloudOptions, "offers" | "regions" | "bootDelayMs" | "startDelayMs" | "terminateDelayMs">>;
	/** Additional rules of the policy, a line of YAML each. */
	rules?: string[];
	/** Additional caps besides the budget in money, a line of YAML each. */
	caps?: string[];
	/** What a job's command does in a cloud. Absent or undefined: it runs for `runMs` and succeeds. */
	workOf?: (jobId: string) => { runMs: number; exitCode: number } | undefined;
	/** How attempts at home go; as the fake site has it without it. */
	jobOf?: FakeClusterOptions["jobOf"];
	/** The site has its own queue, into which others submit: `cluster.theirs`. */
	hasQueue?: boolean;
	/** Clock step of a tick; default one second. */
	tickMs?: number;
	/** Start of a cloud machine as the timing states it; `cloud.bootDelayMs` is how long it takes. */
	cloudStartMs?: { p50Ms: number; p90Ms: number };
	/** Real: how long a look at the cloud waits for its regions. */
	patienceMs?: number;
	/** Checkpoint folder. When unset, a missing folder, so the owned site can save nothing. */
	checkpointRoot?: string;
}

/** The loop over a real database, with a fake site and a fake cloud, a clock moved by hand, and agents played by it. */
export class World {
	readonly clock: ManualClock;
	readonly cluster: FakeCluster;
	readonly cloud: FakeCloud;
	readonly database: TestDatabase;
	readonly #home: (() => ClusterDriver) | null;
	readonly #patience: { patienceMs?: number };
	readonly #runMs: number;
	readonly #workOf: WorldOptions["workOf"];
	readonly #tickMs: number;
	readonly #cloudStartMs: { p50Ms: number; p90Ms: number };
	readonly #checkpointRoot: string;
	/** The checkpoint that each attempt at home was asked to resume from. */
	readonly restoredFrom = new Map<string, string | null>();
	/** Set to die at the n-th pass of a step. */
	killAt: { step: ProbeStep; pass: number } | null = null;
	readonly passes = new Map<ProbeStep, number>();
	deaths = 0;
	#ticks = 0;
	#ctx: LoopContext;
	#cycle = newCycleMemory();
	#clusterMemory = newClusterMemory();
	#cloudMemory: CloudMemory;
	#leases = newLeaseMemory();

	private constructor(database: TestDatabase, options: WorldOptions) {
		this.database = database;
		const startMs = options.startMs ?? START_MS;
		this.clock = new ManualClock(startMs);
		this.#home = options.home ?? null;
		this.#patience = options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs };
		this.#cloudMemory = newCloudMemory(this.#patience);
		this.#runMs = options.runMs ?? 30_000;
		this.#workOf = options.workOf;
		this.#tickMs = options.tickMs ?? TICK_MS;
		this.#cloudStartMs = options.cloudStartMs ?? { p50Ms: 3_000, p90Ms: 5_000 };
		this.#checkpointRoot = options.checkpointRoot ?? "/nonexistent/spillway-test";
		const { slots, hasQueue = false, jobOf } = options;
		const site = { poolId: "home", accelerator: "A10G-24GB", slots, hasQueue };
		this.cluster = new FakeCluster({ clock: this.clock, ...site, ...(jobOf && { jobOf }) });
		this.cloud = new FakeCloud({
			clock: this.clock,
			regions: options.cloud?.regions ?? ["us-east-1"],
			offers: options.cloud?.offers ?? [fakeOffer({ priceObservedAtMs: startMs })],
			bootDelayMs: options.cloud?.bootDelayMs ?? 3_000,
			startDelayMs: options.cloud?.startDelayMs ?? 1_000,
			terminateDelayMs: options.cloud?.terminateDelayMs ?? 2_000,
		});
		this.#ctx = this.#newProcess();
	}

	static async open(options: WorldOptions): Promise<World> {
		const world = new World(await createTestDatabase({ connectionsMax: CONNECTIONS_MAX }), options);
		const { db } = world.database;
		const at = new Date(world.clock.nowMs());
		await db.insert(team).values({ name: "research" });
		await db
			.insert(account)
			.values({ id: "usr_a", email: "a@example.test", name: "A", role: "platform", teams: ["research"], createdAt: at });
		await db.insert(site).values([
			{ id: "home", name: "home", provider: "local", settings: {}, healthy: true },
			{ id: "aws", name: "aws", provider: "aws", settings: { regions: ["us-east-1"] }, healthy: true },
		]);
		await db.insert(pool).values({
			id: "home",
			siteId: "home",
			accelerator: "A10G-24GB",
			nodes: 1,
			gpusPerNode: options.slots,
			unavailableSlots: [],
			microUsdPerGpuHour: 1_000_000n,
			wattsPerGpu: 300,
			ownedSince: at,
		});
		await world.publish(options.rules ?? [], options);
		await refreshOffers(db, world.cloud.offers, world.clock.nowMs());
		return world;
	}

	/** Publishes the policy with these additional rules. */
	async publish(rules: readonly string[], { capUsd = 1_000, caps = [] }: Pick<WorldOptions, "capUsd" | "caps"> = {}): Promise<void> {
		const source = policyText(capUsd, rules, caps);
		await publishPolicy(systemContext(this.database.db, this.clock, "seed"), { name: "default", message: "test", source });
	}

	get ctx(): LoopContext {
		return this.#ctx;
	}

	/** Lease times that agents of critical jobs report, ms; null: no lease. */
	leaseMs: number | null = null;
	/** Agents of these instances no longer call. */
	readonly silenced = new Set<string>();
	/** Commands on these instances end at once with the code. */
	readonly failing = new Map<string, number>();

	async submit(...changes: JobChanges[]): Promise<string[]> {
		return submitJobs(systemContext(this.database.db, this.clock, "seed"), changes.map(specOf));
	}

	/** One second of everything, in order. The death of the process is survived by a new one, with nothing in memory. */
	async tick(): Promise<void> {
		this.clock.advance(this.#tickMs);
		await this.#playAgents();
		try {
			await runCycle(this.#ctx, this.#cycle);
			for (const driver of this.#ctx.clusters.values()) await syncCluster(this.#ctx, driver, this.#clusterMemory);
			for (const driver of this.#ctx.clouds.values()) await syncCloud(this.#ctx, driver, this.#cloudMemory);
			await checkLeases(this.#ctx, this.#leases);
			if (this.#ticks++ % METER_EVERY_TICKS === 0) await meterAll(this.#ctx);
		} catch (error) {
			if (!(error instanceof ProcessEnd)) throw error;
			this.deaths++;
			this.takeOver();
		}
	}

	/**
	 * Another process schedules from now on, with empty memory. Returns the context of the previous process, which may still be
	 * running.
	 */
	takeOver(): LoopContext {
		const before = this.#ctx;
		this.#ctx = this.#newProcess();
		this.#cycle = newCycleMemory();
		this.#clusterMemory = newClusterMemory();
		this.#cloudMemory = newCloudMemory(this.#patience);
		this.#leases = newLeaseMemory();
		return before;
	}

	/** Ticks until it holds. Fails after `ticksMax`, with the current state. */
	async until(holds: () => Promise<boolean>, ticksMax = 400): Promise<void> {
		for (let i = 0; i < ticksMax; i++) {
			if (await holds()) return;
			await this.tick();
		}
		const jobs = await this.jobs();
		throw new Error(`not reached after ${ticksMax} ticks; jobs: ${jobs.map((j) => `${j.name} ${j.state} ${j.reason.code}`).join(", ")}`);
	}

	async sweep(): Promise<number> {
		let orphans = 0;
		for (const driver of this.#ctx.clouds.values()) orphans += (await sweepCloud(this.#ctx, driver)).orphans;
		return orphans;
	}

	jobs() {
		return this.database.db.select().from(job).orderBy(asc(job.id));
	}
	attempts() {
		return this.database.db.select().from(attempt).orderBy(asc(attempt.jobId), asc(attempt.number));
	}
	instances() {
		return this.database.db.select().from(instance).orderBy(asc(instance.id));
	}

	/** Everything has ended: jobs, instances, and the provider's own book agrees. */
	async quiet(): Promise<boolean> {
		if (this.cloud.instances().some((i) => i.alive)) return false;
		const [found] = await this.database.db.execute<{ live: boolean }>(sql`
			select exists (select from ${job} where ${job.finishedAt} is null)
				or exists (select from ${instance} where ${instance.state} <> 'terminated') as live`);
		return found?.live === false;
	}

	/** Every machine that the cloud ever made, and the commands that really run: at home, and on machines that are alive. */
	truthOf({ attempts, instances }: Pick<Rows, "attempts" | "instances">): Truth {
		const machines = this.cloud.instances().map((m) => ({ id: m.providerInstanceId, instanceId: m.instanceId, alive: m.alive }));
		const alive = new Set(machines.flatMap((m) => (m.alive && m.instanceId ? [m.instanceId] : [])));
		const started = new Set(attempts.filter((a) => a.startedAt !== null).map((a) => a.id));
		const inCloud = instances.flatMap(({ id, jobId, attemptId, exit, fencedAt }) =>
			jobId !== null && attemptId !== null && alive.has(id) && started.has(attemptId) && exit === null && !fencedAt
				? [{ attemptId, jobId }]
				: [],
		);
		const live = new Set(this.cluster.attempts().flatMap((a) => (a.phase === "exited" || a.phase === "lost" ? [] : [a.attemptId])));
		const atHome = attempts.filter((a) => live.has(a.id)).map(({ id, jobId }) => ({ attemptId: id, jobId }));
		return { machines, commands: [...atHome, ...inCloud] };
	}

	#newProcess(): LoopContext {
		return {
			db: this.database.db,
			clock: this.clock,
			timing: timingSchema.parse({
				callRetryMs: 2_000,
				launchForgetMs: 20_000,
				vanishMs: 20_000,
				readyTimeoutMs: 120_000,
				stopGraceMs: 5_000,
				backoffBaseMs: 30_000,
				offerCooldownMs: 5_000,
				homeSettleMs: 3_000,
				cloudStartMs: this.#cloudStartMs,
			}),
			clusters: new Map([["home", this.#home?.() ?? this.#withCheckpoints(this.cluster.driver("home"))]]),
			clouds: new Map([["aws", this.cloud.driver("aws", CONTROL_PLANE)]]),
			userDataFor: ({ instanceId, expiresAtMs }) => `#!/bin/sh\n# ${instanceId} ${expiresAtMs}\n`,
			bootstrapHashFor: (instanceId) => `hash of ${instanceId}`,
			checkpointRoot: this.#checkpointRoot,
			artifactRoot: path.join(this.#checkpointRoot, "artifacts"),
			log: () => {},
			probe: (step) => this.#pass(step),
		};
	}

	/** The fake site with a folder for each attempt, which holds what the command wrote: its id, from its start on. */
	#withCheckpoints(driver: ClusterDriver): ClusterDriver {
		const folderOf = (attemptId: string): string => path.join(this.#checkpointRoot, "working", attemptId);
		return {
			...driver,
			start: async (request) => {
				await driver.start(request);
				this.restoredFrom.set(request.attemptId, request.restoreFrom);
				if (!request.spec.checkpoint) return;
				await mkdir(folderOf(request.attemptId), { recursive: true });
				await writeFile(path.join(folderOf(request.attemptId), "state"), request.attemptId);
			},
			checkpointFolder: (attemptId) => folderOf(attemptId),
		};
	}

	#pass(step: ProbeStep): void {
		const pass = (this.passes.get(step) ?? 0) + 1;
		this.passes.set(step, pass);
		if (this.killAt?.step === step && this.killAt.pass === pass) throw new ProcessEnd(`killed at ${step}`);
	}

	/**
	 * The agent of each machine that runs according to the provider: enrols, runs its command, reports its end, stops on request.
	 */
	async #playAgents(): Promise<void> {
		const { db } = this.database;
		const up = new Set(this.cloud.instances().flatMap((i) => (i.alive && i.state === "running" ? [i.instanceId] : [])));
		if (up.size === 0) return;
		const rows = (
			await db
				.select()
				.from(instance)
				.where(and(inArray(instance.state, ["provisioning", "ready", "draining"]), isNull(instance.fencedAt)))
		).filter(({ id }) => up.has(id) && !this.silenced.has(id));
		if (rows.length === 0) return;
		const working = rows.flatMap(({ attemptId, ...row }) => (attemptId === null ? [] : [{ ...row, attemptId }]));
		const attemptIds = [...new Set(working.map((row) => row.attemptId))];
		const before = await this.#runsOf(attemptIds);
		for (const { rank, attemptId } of working) if (rank === 0) await this.#saveOnInterval(before.get(attemptId));
		await this.#hear(rows);
		const beginning = [...before.values()].filter(({ state }) => state === "starting" || state === "staging");
		for (const { id } of beginning) await this.#begin(id);
		let runs = beginning.length > 0 ? await this.#runsOf(attemptIds) : before;
		for (const { id, attemptId, exit } of working) {
			const run = runs.get(attemptId);
			const code = run && exit === null ? this.#exitCodeOf(id, run) : null;
			if (code === null) continue;
			const ended = { attemptId, instanceId: id, exit: { code, signal: null, error: null }, atMs: this.clock.nowMs() };
			await db.transaction((tx) => endMember(tx, ended));
			// One member's end may stop the others.
			runs = await this.#runsOf(attemptIds);
		}
	}

	/** Calls of agents: the first one enrols its machine, and each has its data by then. */
	async #hear(rows: readonly (typeof instance.$inferSelect)[]): Promise<void> {
		const { db } = this.database;
		const at = new Date(this.clock.nowMs());
		const stagedAt = sql`coalesce(${instance.stagedAt}, ${at.toISOString()}::timestamptz)`;
		const ids = (isNew: boolean) => rows.filter(({ state }) => (state === "provisioning") === isNew).map(({ id }) => id);
		const [enrolling, known] = [ids(true), ids(false)];
		if (enrolling.length > 0)
			await db.update(instance).set({ state: "ready", readyAt: at, lastHeardAt: at, stagedAt }).where(inArray(instance.id, enrolling));
		if (known.length > 0)
			await db.update(instance).set({ lastHeardAt: at, leaseMs: this.leaseMs, stagedAt }).where(inArray(instance.id, known));
	}

	/** A gang runs once all of its machines have their data. */
	async #begin(attemptId: string): Promise<void> {
		const atMs = this.clock.nowMs();
		await this.database.db.transaction(async (tx) => {
			await markStaging(tx, { attemptId, atMs });
			const late = await tx.$count(instance, and(eq(instance.attemptId, attemptId), isNull(instance.stagedAt)));
			if (late === 0) await markRunning(tx, { attemptId, atMs });
		});
	}

	async #runsOf(attemptIds: readonly string[]): Promise<ReadonlyMap<string, Run>> {
		const { id, jobId, state, startedAt } = attempt;
		const rows = await this.database.db
			.select({ id, jobId, state, startedAt, spec: job.spec })
			.from(attempt)
			.innerJoin(job, eq(job.id, attempt.jobId))
			.where(inArray(attempt.id, [...attemptIds]));
		return new Map(rows.map((row) => [row.id, row]));
	}

	/** How the command of a machine ends now; null while it runs. */
	#exitCodeOf(instanceId: string, run: Run): number | null {
		if (run.state === "stopping") return 143;
		if (!run.startedAt) return null;
		const { runMs, exitCode } = this.#workOf?.(run.jobId) ?? { runMs: this.#runMs, exitCode: 0 };
		return this.failing.get(instanceId) ?? (this.clock.nowMs() - run.startedAt.getTime() >= runMs ? exitCode : null);
	}

	/** Checkpoints by the agent of a machine: one on each interval of its run. */
	async #saveOnInterval(run: Run | undefined): Promise<void> {
		const { db } = this.database;
		const everyMs = run?.spec.checkpoint?.intervalMs;
		if (!run?.startedAt || run.state !== "running" || everyMs === undefined) return;
		const saved = await db.$count(checkpoint, eq(checkpoint.attemptId, run.id));
		const nowMs = this.clock.nowMs();
		if (nowMs < run.startedAt.getTime() + (saved + 1) * everyMs) return;
		const id = newId("ckp", nowMs);
		await commitCheckpoint(db, this.#checkpointRoot, { id, jobId: run.jobId, attemptId: run.id, files: 1, bytes: 1, atMs: nowMs });
	}
}

/** What an agent's player reads of an attempt. */
type Run = Pick<typeof attempt.$inferSelect, "id" | "jobId" | "state" | "startedAt"> & { spec: JobSpec };

export interface JobChanges {
	name: string;
	/** The command for a site that really runs it; default `true`. */
	command?: string[];
	image?: string;
	/** Default 30 seconds. Also its run time at home. */
	estimate?: string;
	/** It saves on this interval. */
	checkpointEvery?: string;
	gpus?: number;
	/** Machines that start together. */
	nodes?: number;
	interconnect?: "high";
	class?: string;
	max?: string;
	priority?: number;
	critical?: boolean;
	/** UTC, as in a job's document. */
	deadline?: string;
	/** Of its one data set. */
	data?: { uri: string; sizeGiB: number };
}

export function specOf(changes: JobChanges): JobSpec {
	return parseJobDocument({
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: changes.name, team: "research" },
		spec: {
			command: changes.command ?? ["true"],
			class: changes.class ?? "burst",
			...(changes.image !== undefined && { image: changes.image }),
			nodes: changes.nodes ?? 1,
			...(changes.interconnect && { interconnect: changes.interconnect }),
			resources: { gpus: changes.gpus ?? 1 },
			duration: { estimate: changes.estimate ?? "30s", max: changes.max ?? "10m" },
			...(changes.critical === undefined ? {} : { critical: changes.critical }),
			...(changes.priority === undefined ? {} : { priority: changes.priority }),
			...(changes.deadline === undefined ? {} : { deadline: changes.deadline }),
			...(changes.data && { data: [{ ...changes.data, mount: "/data" }] }),
			...(changes.checkpointEvery ? { checkpoint: { path: "/checkpoints", interval: changes.checkpointEvery } } : {}),
		},
	});
}

function policyText(capUsd: number, rules: readonly string[], caps: readonly string[]): string {
	const lines = (list: readonly string[]): string => list.map((line) => `    - ${line}\n`).join("");
	return `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules:
    - id: burst-on-wait
      burst: { after: { forecastWait: 10s } }
    - id: life
      limit: { instanceHours: 1 }
${lines(rules)}  budgets:
    - { id: cloud-month, scope: "true", period: month, capUsd: ${capUsd}, atCap: hold }
${lines(caps)}  weights: { delayUsdPerHour: 5, carbonUsdPerTonne: 0 }
`;
}
