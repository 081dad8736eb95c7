import type { JobSpec } from "#server/domain/job.ts";
import type { Policy } from "#server/domain/policy.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { decide } from "#server/scheduling/decide.ts";
import { DurationBook } from "#server/scheduling/forecast/duration-book.ts";
import { MinHeap } from "#server/scheduling/min-heap.ts";
import type { DecideMemo, PendingJob, Plan, PoolView, RunningAttempt, Snapshot } from "#server/scheduling/types.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";

const GPUS_PER_NODE = 8;
/** Most jobs at the front of the queue that a cycle may start, as Slurm's bf_max_job_test limits its backfill. */
const START_WINDOW = 32;
const START_FIRST = 4;
/** How often history is summarized, in time of the trace. The live loop does it every minute. */
const HISTORY_EVERY_MS = HOUR_MS;
/** Total queue length that cycles with a full forecast may process, spread evenly over arrivals and starts. */
const FORECAST_WORK = 1_000_000;

export interface ReplayListener {
	/** The whole queue was decided: plan.forecasts contains every pending job. */
	forecast(plan: Plan, nowMs: number): void;
	started(jobId: string, nowMs: number): void;
}

interface Waiting {
	job: PendingJob;
	durationMs: number;
}

/** The owned cluster alone: jobs arrive, the decision core starts them in its order and with its backfill, and they end. Nothing bursts. */
export class OwnedReplay {
	readonly #listener: ReplayListener;
	readonly #pool: PoolView;
	readonly #queue: Waiting[] = [];
	readonly #running = new Map<string, RunningAttempt>();
	readonly #free: Set<number>;
	readonly #ends = new MinHeap();
	readonly #ending: { attempt: RunningAttempt; durationMs: number }[] = [];
	readonly #book = new DurationBook();
	readonly #memo: DecideMemo = { kept: new Map() };
	#durations: Snapshot["durations"] = [];
	#historyAtMs = Number.NEGATIVE_INFINITY;
	#nowMs = 0;
	#credit = 0;
	readonly #creditPerEvent: number;
	/** Requested more than the cluster has. */
	tooLarge = 0;

	constructor(ownedGpus: number, jobs: number, listener: ReplayListener) {
		this.#listener = listener;
		this.#creditPerEvent = FORECAST_WORK / Math.max(1, 2 * jobs);
		this.#pool = poolOf(ownedGpus);
		this.#free = new Set(this.#pool.freeSlots);
	}

	run(jobs: readonly TraceJob[]): void {
		for (let next = 0; next < jobs.length || this.#ends.leastKey < Number.POSITIVE_INFINITY; ) {
			const arrivalMs = jobs[next]?.submitMs ?? Number.POSITIVE_INFINITY;
			this.#nowMs = Math.min(arrivalMs, this.#ends.leastKey);
			let changed = false;
			while (this.#ends.leastKey <= this.#nowMs) {
				this.#endOne();
				changed = true;
			}
			for (let job = jobs[next]; job && job.submitMs <= this.#nowMs; job = jobs[++next]) {
				this.#arrive(job, next);
				if (this.#queue.length <= START_WINDOW) changed = true;
			}
			if (changed) this.#startWhatFits();
			this.#forecastIfDue();
		}
	}

	#arrive(job: TraceJob, index: number): void {
		if (job.gpus > this.#pool.nodes * this.#pool.gpusPerNode) {
			this.tooLarge++;
			return;
		}
		const pending = pendingOf(job, index);
		this.#credit += this.#creditPerEvent;
		this.#queue.push({ job: pending, durationMs: job.durationMs });
	}

	#endOne(): void {
		const index = this.#ends.pop();
		const ended = index === undefined ? undefined : this.#ending[index];
		if (!ended) return;
		this.#running.delete(ended.attempt.jobId);
		for (const slot of ended.attempt.slots) this.#free.add(slot);
		this.#book.add({ spec: ended.attempt.spec, durationMs: ended.durationMs });
	}

	/** Jobs are placed in order, so the first few give the same starts as the whole queue. If none of them fits, later ones may fill gaps. */
	#startWhatFits(): void {
		for (let window = START_FIRST; this.#queue.length > 0 && this.#free.size > 0; ) {
			if (this.#apply(decide(this.#snapshot(window), { brief: true, memo: this.#memo }))) continue;
			if (window === START_WINDOW || window >= this.#queue.length) return;
			window = START_WINDOW;
		}
	}

	#apply(plan: Plan): boolean {
		const placed = new Map(plan.actions.flatMap((a) => (a.kind === "place_home" ? [[a.jobId, a.slots] as const] : [])));
		if (placed.size === 0) return false;
		// All placed jobs are among the first ones; those that stay are moved next to the rest.
		const looked = this.#queue.splice(0, START_WINDOW);
		this.#queue.unshift(
			...looked.filter((waiting) => {
				const slots = placed.get(waiting.job.jobId);
				if (slots) this.#start(waiting, slots);
				return !slots;
			}),
		);
		return true;
	}

	#start({ job, durationMs }: Waiting, slots: number[]): void {
		for (const slot of slots) this.#free.delete(slot);
		const attempt = attemptOf(job, slots, this.#pool, this.#nowMs);
		this.#running.set(job.jobId, attempt);
		this.#ends.push(this.#nowMs + durationMs, this.#ending.push({ attempt, durationMs }) - 1);
		this.#credit += this.#creditPerEvent;
		this.#listener.started(job.jobId, this.#nowMs);
	}

	/** A cycle over the whole queue costs its length, so the number of such cycles is limited to bound the replay's time. */
	#forecastIfDue(): void {
		const work = this.#queue.length;
		if (work === 0 || this.#credit < work) return;
		this.#credit = Math.min(this.#credit - work, FORECAST_WORK / 100);
		this.#listener.forecast(decide(this.#snapshot(work), { brief: true, memo: this.#memo }), this.#nowMs);
	}

	#snapshot(window: number): Snapshot {
		if (this.#nowMs - this.#historyAtMs >= HISTORY_EVERY_MS) {
			this.#historyAtMs = this.#nowMs;
			this.#durations = this.#book.read();
		}
		return {
			nowMs: this.#nowMs,
			seed: 1,
			policy: NEVER_BURSTS,
			policyVersion: 1,
			pools: [{ ...this.#pool, freeSlots: [...this.#free].sort((a, b) => a - b) }],
			offers: [],
			pending: this.#queue.slice(0, window).map((w) => w.job),
			running: [...this.#running.values()],
			budgets: [],
			durations: this.#durations,
			priceMaxAgeMs: HOUR_MS,
			cloudStartMs: { p50Ms: 0, p90Ms: 0 },
		};
	}
}

const NEVER_BURSTS: Policy = {
	name: "owned-only",
	rules: [],
	budgets: [],
	caps: [],
	shares: [],
	weights: { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n },
};

function poolOf(ownedGpus: number): PoolView {
	const nodes = Math.max(1, Math.floor(ownedGpus / GPUS_PER_NODE));
	const gpusPerNode = Math.min(ownedGpus, GPUS_PER_NODE);
	return {
		id: "owned",
		siteId: "home",
		accelerator: "any",
		nodes,
		gpusPerNode,
		microUsdPerGpuHour: 0n,
		wattsPerGpu: 0,
		gridGramsPerKwh: null,
		pue: 1,
		healthy: true,
		multiNode: nodes > 1,
		freeSlots: Array.from({ length: nodes * gpusPerNode }, (_, i) => i),
	};
}

function pendingOf(job: TraceJob, index: number): PendingJob {
	const nodes = Math.ceil(job.gpus / GPUS_PER_NODE);
	const spec: JobSpec = {
		// Its submitter names it: a recorded user stands for the name's pattern.
		name: `${job.user ?? "job"}-${index}`,
		team: job.team || "all",
		project: null,
		labels: {},
		class: "baseline",
		image: null,
		command: ["train"],
		env: {},
		nodes,
		resources: { gpus: Math.ceil(job.gpus / nodes), accelerators: [], cpus: null, memoryGiB: null },
		duration: { estimateMs: null, maxMs: null },
		deadlineMs: null,
		priority: 50,
		critical: false,
		checkpoint: null,
		data: [],
	};
	return {
		jobId: `job_${String(index).padStart(9, "0")}`,
		spec,
		state: "queued",
		submittedAtMs: job.submitMs,
		pendingSinceMs: job.submitMs,
		nextAttemptNo: 1,
		completedMs: 0,
		avoidOffers: [],
		approvedMicroUsd: null,
	};
}

function attemptOf(job: PendingJob, slots: number[], pool: PoolView, nowMs: number): RunningAttempt {
	return {
		jobId: job.jobId,
		attemptId: `att_${job.jobId}`,
		spec: job.spec,
		placement: {
			siteId: pool.siteId,
			provider: "local",
			region: null,
			zone: null,
			capacityType: "owned",
			instanceType: null,
			poolId: pool.id,
			accelerator: pool.accelerator,
		},
		slots,
		startedAtMs: nowMs,
		placedAtMs: nowMs,
		completedMs: 0,
		stopping: false,
	};
}
