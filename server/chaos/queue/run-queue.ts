import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "#server/kernel/random.ts";
import { checkQueue, type QueueOutcome, type QueueViolations } from "./check-queue.ts";
import { type DrawnJob, drawQueue, scriptOf, specOf } from "./draw-queue.ts";
import { QueueWorld, type QueueWorldOptions } from "./queue-world.ts";

/** Maximum number of steps, and of milliseconds, between two scheduler deaths. */
const STEPS_MAX = 12;
const LIFE_MS_MAX = 6_000;
const BACK_AFTER_MS = 100;

export interface QueueRunOptions extends Omit<QueueWorldOptions, "onStep"> {
	seed: number;
	jobs: number;
	/** Duration of the longest job, seconds. */
	longest: number;
	/** Number of scheduler deaths, at random steps and times. */
	deaths: number;
	limitMs: number;
}

export interface QueueReport {
	seed: number;
	jobs: number;
	deaths: string[];
	/** Number of foreign and Spillway jobs that ran in the cloud and at home. */
	theirs: { cloud: number; home: number };
	ours: { cloud: number; home: number };
	/** GPU-seconds of Spillway's jobs on the cluster: counted by sacct, and charged. */
	sacctGpuSeconds: number;
	chargedGpuSeconds: number;
	tookMs: number;
	violations: QueueViolations;
}

/** Builds a half-foreign queue on a real Slurm, lets the policy adopt jobs, kills schedulers, and compares charges with sacct. */
export async function runQueue(options: QueueRunOptions): Promise<QueueReport> {
	const begunMs = performance.now();
	const reaper = new Reaper(options);
	const world = await QueueWorld.open({ ...options, onStep: (step) => reaper.onStep(step) });
	try {
		const jobs = drawQueue(options.seed, { ...options, count: options.jobs });
		const numbers = new Map<string, string>();
		await reaper.begin(world);
		const submit = async (job: DrawnJob) => {
			if (job.optsIn === null) await world.submit([specOf(job, world.book)]);
			else numbers.set(job.key, await world.sbatch(scriptOf(job, world.book)));
		};
		// Keep home full until the first adopted jobs have left, regardless of this host's speed. Later jobs find room there.
		const { nodes, gpusPerNode, limitMs } = options;
		const all = [`--nodes=${nodes}`, `--gres=gpu:h100:${gpusPerNode}`, "--wrap=sleep 3600"];
		const blocker = await world.as("sbatch", "--parsable", "--output=/dev/null", ...all);
		const late = jobs.filter((job) => job.optsIn === null).slice(0, Math.ceil(jobs.length / 4));
		for (const job of jobs) if (!late.includes(job)) await submit(job);
		await world.until("some adopted jobs are on their way", () => hasEnded(world, Math.ceil(jobs.length / 10)), limitMs);
		await world.as("scancel", blocker);
		for (const job of late) await submit(job);
		await world.until("all is over", () => isOver(world), options.limitMs);
		await reaper.end();
		const outcome = await readOutcome(world, jobs, numbers);
		return reportOf(outcome, { ...options, deathsMet: reaper.deaths, tookMs: Math.round(performance.now() - begunMs) });
	} finally {
		await reaper.end();
		await world.close();
	}
}

/** Kills schedulers, each after a drawn number of steps or a drawn time, and starts the next. */
class Reaper {
	readonly deaths: string[] = [];
	readonly #random;
	readonly #options: QueueRunOptions;
	readonly #done = new AbortController();
	#world: QueueWorld | null = null;
	#stepsLeft = 0;
	#timer: NodeJS.Timeout | undefined;
	#next: Promise<void> = Promise.resolve();

	constructor(options: QueueRunOptions) {
		this.#options = options;
		this.#random = seededRandom(`deaths ${options.seed}`);
	}

	async begin(world: QueueWorld): Promise<void> {
		this.#world = world;
		await this.#live();
	}

	async #live(): Promise<void> {
		await this.#world?.startScheduler();
		if (this.deaths.length >= this.#options.deaths || this.#done.signal.aborted) return;
		this.#stepsLeft = this.#random.int(1, STEPS_MAX);
		this.#timer = setTimeout(() => this.#kill("a moment"), this.#random.int(LIFE_MS_MAX / 4, LIFE_MS_MAX));
	}

	onStep(step: string): void {
		if (this.#stepsLeft > 0 && --this.#stepsLeft === 0) this.#kill(step);
	}

	#kill(at: string): void {
		clearTimeout(this.#timer);
		this.#stepsLeft = 0;
		if (this.#done.signal.aborted) return;
		this.deaths.push(at);
		this.#options.log(`-- the scheduler dies at ${at}`);
		// Kill immediately, so that the scheduler does nothing past this step.
		const killed = this.#world?.killScheduler();
		this.#next = (async () => {
			await killed;
			await sleep(BACK_AFTER_MS);
			await this.#live();
		})();
		this.#next.catch((error: unknown) => this.#options.log(`!! ${String(error)}`));
	}

	async end(): Promise<void> {
		this.#done.abort();
		clearTimeout(this.#timer);
		await this.#next;
	}
}

async function hasEnded({ connection: { sql } }: QueueWorld, count: number): Promise<boolean> {
	const [left] = await sql`select count(*)::int as n from attempt a join adoption d on d.job_id = a.job_id where a.started_at is not null`;
	return left?.["n"] >= count;
}

/** Whether nothing is queued, running or pending here, in the cloud and on the cluster, and all use is charged. */
async function isOver({ connection: { sql }, slurm }: QueueWorld): Promise<boolean> {
	const [left] = await sql`
		select (select count(*)::int from job where finished_at is null) + (select count(*) from adoption where ended_at is null)
		+ (select count(*)::int from instance where state <> 'terminated')
		+ (select count(*)::int from allocation where ended_at is null or metered_until is distinct from ended_at) as n`;
	// The controller may be busy; the next poll retries.
	return Number(left?.["n"]) === 0 && (await slurm.command("squeue", "-h").catch(() => "?")) === "";
}

async function readOutcome(world: QueueWorld, jobs: DrawnJob[], numbers: ReadonlyMap<string, string>): Promise<QueueOutcome> {
	const { sql } = world.connection;
	const atHome = await sql`
		select a.id, a.gpus, a.state, a.started_at, a.finished_at,
			coalesce((select sum(gpu_ms) from charge c where c.attempt_id = a.id), 0)::float8 as charged
		from attempt a where a.site_id = 'cluster'`;
	const adoptions = await sql`select foreign_id, job_id, state, outcome from adoption`;
	const outputs = await Promise.all(jobs.map(async ({ key }) => [key, await world.file(`${key}.out`)] as const));
	return {
		jobs,
		numbers,
		outputs: new Map(outputs),
		book: (await readFile(path.join(world.book, "log"), "utf8").catch(() => "")).split("\n").filter(Boolean),
		rows: await sql<QueueOutcome["rows"]>`select id, name, state from job`,
		adoptions: adoptions.map((a) => ({
			...{ foreignId: a["foreign_id"], jobId: a["job_id"], state: a["state"] },
			exitCode: a["outcome"]?.exitCode ?? null,
		})),
		atHome: atHome.map((a) => ({
			...{ id: a["id"], gpus: a["gpus"], state: a["state"], chargedGpuMs: a["charged"] },
			...{ startedAtMs: a["started_at"]?.getTime() ?? null, finishedAtMs: a["finished_at"]?.getTime() ?? null },
		})),
		sacct: await readSacct(world),
	};
}

async function readSacct(world: QueueWorld): Promise<QueueOutcome["sacct"]> {
	// slurmdbd receives updates from the controller slightly later than squeue shows them.
	await world.until("sacct has every end", async () => !(await world.sacct()).some((line) => line.endsWith("|Unknown")));
	return (await world.sacct()).map((line) => {
		// For a job that never started, slurmdbd has no start; without slurmdbd the start equals the end.
		const [id = "", name = "", state = "", start = "", end = ""] = line.split("|");
		return { id, name, state, start: Date.parse(`${start === "None" ? end : start}Z`) / 1_000, end: Date.parse(`${end}Z`) / 1_000 };
	});
}

function reportOf(outcome: QueueOutcome, run: QueueRunOptions & { deathsMet: string[]; tookMs: number }): QueueReport {
	const { jobs, numbers, adoptions, atHome, sacct } = outcome;
	const left = new Set(adoptions.filter((a) => a.state === "finished").map((a) => a.foreignId));
	const theirs = jobs.filter((j) => j.optsIn !== null);
	const inCloud = theirs.filter((j) => left.has(numbers.get(j.key) ?? "")).length;
	const ours = jobs.length - theirs.length;
	const oursAtHome = atHome.filter((a) => a.state === "succeeded" || a.state === "failed").length;
	const gpusOf = new Map(atHome.map((a) => [`spillway-${a.id}`, a.gpus]));
	return {
		...{ seed: run.seed, jobs: jobs.length, deaths: run.deathsMet, tookMs: run.tookMs },
		theirs: { cloud: inCloud, home: theirs.length - inCloud },
		ours: { cloud: ours - oursAtHome, home: oursAtHome },
		sacctGpuSeconds: sacct.reduce((sum, s) => sum + (gpusOf.get(s.name) ?? 0) * (s.end - s.start), 0),
		chargedGpuSeconds: atHome.reduce((sum, a) => sum + a.chargedGpuMs, 0) / 1_000,
		violations: checkQueue(outcome),
	};
}
