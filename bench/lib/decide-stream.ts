import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { decide } from "#server/scheduling/decide.ts";
import { aJob, aPolicy, aPool, aSnapshot, burstRule } from "#server/scheduling/testing/builders.ts";
import type { DecideMemo, PendingJob, PoolView, RunningAttempt, Snapshot } from "#server/scheduling/types.ts";

/** A cluster in which jobs arrive, run and end one by one. Each change is decided with the memo of the last decision. */
export interface StreamRow {
	case: string;
	/** Decisions made, and the maximum of live attempts and pending jobs during them. */
	cycles: number;
	running: number;
	pending: number;
	offers: number;
	/** CPU time of a cycle, µs: with a memo, and without one. */
	microsWithMemo: number;
	microsWithout: number;
}

const NODES = 48;
const GPUS = 8;

interface Case {
	name: string;
	/** GPUs requested at the same time ÷ available GPUs. */
	load: number;
	bursts: boolean;
}

const CASES: Case[] = [
	{ name: "room at home", load: 0.7, bursts: true },
	{ name: "home full, jobs leave", load: 1.4, bursts: true },
	{ name: "home full, jobs wait", load: 1.02, bursts: false },
];

export function measureStreams(offers: Snapshot["offers"], cycles: number, only = ""): StreamRow[] {
	return CASES.filter((c) => c.name.includes(only)).map((one) => {
		// once to warm up, then with and without a memo
		run(one, offers, Math.min(cycles, 2000), true);
		const kept = run(one, offers, cycles, true);
		const fresh = run(one, offers, Math.min(cycles, 100), false);
		return {
			case: one.name,
			cycles,
			running: kept.running,
			pending: kept.pending,
			offers: offers.length,
			microsWithMemo: Math.round(kept.micros * 10) / 10,
			microsWithout: Math.round(fresh.micros),
		};
	});
}

/** Uses the mean instead of the median on purpose: a long replay takes the mean. */
function run(one: Case, offers: Snapshot["offers"], cycles: number, keep: boolean): { micros: number; running: number; pending: number } {
	const world = new Stream(one, offers);
	const memo: DecideMemo = { kept: new Map() };
	// fill it first
	for (let i = 0; i < 3000; i++) world.step(memo);
	const fill = { running: world.running.length, pending: world.pending.length };
	let micros = 0;
	for (let i = 0; i < cycles; i++) micros += world.step(keep ? memo : undefined);
	return { micros: micros / cycles, running: fill.running, pending: fill.pending };
}

class Stream {
	running: RunningAttempt[] = [];
	pending: PendingJob[] = [];
	readonly #one: Case;
	readonly #random;
	readonly #offers: Snapshot["offers"];
	readonly #ends = new Map<string, number>();
	readonly #free: boolean[] = Array.from({ length: NODES * GPUS }, () => true);
	#view: PoolView = aPool({ nodes: NODES, gpusPerNode: GPUS, accelerator: "A100-80GB" });
	readonly #policy;
	#nowMs = Date.UTC(2026, 0, 1);
	#nextArrivalMs = this.#nowMs;
	#count = 0;

	constructor(one: Case, offers: Snapshot["offers"]) {
		this.#one = one;
		this.#offers = offers;
		this.#random = seededRandom(`stream ${one.name}`);
		const rules = one.bursts
			? [["burst-on-wait", null, burstRule({ forecastWaitMs: 5 * MINUTE_MS })] as [string, null, ReturnType<typeof burstRule>]]
			: [];
		this.#policy = aPolicy({ rules });
	}

	/** Decides the next arrival or end; returns the time that the decision took, µs. */
	step(memo: DecideMemo | undefined): number {
		let next: RunningAttempt | null = null;
		let endMs = this.#nextArrivalMs;
		for (const attempt of this.running) {
			const at = this.#ends.get(attempt.attemptId) ?? 0;
			if (at < endMs) [next, endMs] = [attempt, at];
		}
		this.#nowMs = Math.ceil(endMs);
		if (next) this.#end(next);
		else this.#arrive();
		const snapshot = aSnapshot({
			nowMs: this.#nowMs,
			policy: this.#policy,
			pools: [this.#view],
			offers: this.#offers,
			pending: this.pending,
			running: this.running,
			priceMaxAgeMs: Number.MAX_SAFE_INTEGER,
			cloudStartMs: { p50Ms: 4 * MINUTE_MS, p90Ms: 6 * MINUTE_MS },
		});
		const began = process.threadCpuUsage();
		const plan = decide(snapshot, memo ? { memo, brief: true } : { brief: true });
		const used = process.threadCpuUsage(began);
		const micros = used.user + used.system;
		const gone = new Set<string>();
		for (const action of plan.actions) {
			if (action.kind === "place_home") this.#place(action.jobId, action.slots);
			gone.add(action.jobId);
		}
		if (gone.size > 0) this.pending = this.pending.filter((job) => !gone.has(job.jobId));
		return micros;
	}

	#arrive(): void {
		const gpus = this.#random.pick([1, 1, 1, 1, 2, 4, 8]);
		const hours = -Math.log(1 - this.#random.next());
		const job = aJob(`job-${this.#count++}`)
			.gpus(gpus)
			.team(this.#random.pick(["a", "b", "c"]))
			.estimate(Math.round((hours + 0.05) * HOUR_MS))
			.build();
		this.pending = [...this.pending, { ...job, submittedAtMs: this.#nowMs, pendingSinceMs: this.#nowMs }];
		// 18 / 7 GPUs per job on average, about an hour each
		const perHour = (this.#one.load * NODES * GPUS) / (18 / 7);
		this.#nextArrivalMs = this.#nowMs + (-Math.log(1 - this.#random.next()) / perHour) * HOUR_MS;
	}

	#end(attempt: RunningAttempt): void {
		this.running = this.running.filter((a) => a !== attempt);
		for (const slot of attempt.slots) this.#free[slot] = true;
		this.#newView();
	}

	#place(jobId: string, slots: number[]): void {
		const job = this.pending.find((j) => j.jobId === jobId);
		if (!job) throw new Error(`no such job: ${jobId}`);
		const attempt = {
			...aJob(jobId.slice(4)).running("home-a", slots, 0),
			spec: job.spec,
			startedAtMs: this.#nowMs,
			placedAtMs: this.#nowMs,
		};
		this.#ends.set(attempt.attemptId, this.#nowMs + (job.spec.duration.estimateMs ?? HOUR_MS) * (0.5 + this.#random.next()));
		this.running = [...this.running, attempt];
		for (const slot of slots) this.#free[slot] = false;
		this.#newView();
	}

	#newView(): void {
		this.#view = { ...this.#view, freeSlots: this.#free.flatMap((free, slot) => (free ? [slot] : [])) };
	}
}
