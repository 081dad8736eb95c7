import { takeLines } from "#server/agent/log-lines.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { AttemptObservation, ClusterDriver, LogCursor, LogLine, StartAttempt } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import { checkStart, rejectBusySlots } from "../start-rules.ts";
import { CallScript } from "./calls.ts";
import { defaultFakeJob, endAt, type FakeAttempt, type FakeJob, isOver, newAttempt, observeAttempt, requestStop } from "./fake-job.ts";
import { FakeQueue } from "./fake-queue.ts";
import type { Wake } from "./timers.ts";

export interface FakeClusterOptions {
	clock: Clock;
	poolId: string;
	accelerator: string;
	slots: number;
	/** Behavior of a job; default: defaultFakeJob. */
	jobOf?: (request: StartAttempt) => FakeJob;
	/** Whether the site also has its own queue, into which others submit: `theirs`. */
	hasQueue?: boolean;
	/** If set, changes that occur over time are pushed to subscribers. */
	wake?: Wake;
}

/**
 * A cluster in memory, for the tests of the control loop and the simulator. The site outlives the drivers that `driver()`
 * returns, as a real site outlives a killed scheduler.
 */
export class FakeCluster {
	readonly calls: CallScript;
	readonly unavailableSlots = new Set<number>();
	readonly theirs: FakeQueue;
	readonly #options: FakeClusterOptions;
	readonly #attempts = new Map<string, FakeAttempt>();
	readonly #subscribers = new Set<() => void>();

	constructor(options: FakeClusterOptions) {
		this.#options = options;
		this.calls = new CallScript(options.clock);
		const freeSlots = (gpus: number) => this.#freeSlots(gpus);
		this.theirs = new FakeQueue({ clock: options.clock, calls: this.calls, poolId: options.poolId, freeSlots });
	}

	/** Ground truth, whatever a scripted `observe` returns. */
	attempts(): AttemptObservation[] {
		return [...this.#attempts.values()].map((a) => observeAttempt(a, this.#now()));
	}

	/** Every live process disappears without a report, as after a power failure. */
	loseEverything(): void {
		for (const attempt of this.#attempts.values()) if (!isOver(attempt, this.#now())) endAt(attempt, this.#now(), null);
		this.#notify();
	}

	/** Ends the attempt now in this way, whatever its job would have done. */
	end(attemptId: string, exit: { code: number | null; signal: string | null }): void {
		const attempt = this.#attempts.get(attemptId);
		if (attempt) endAt(attempt, this.#now(), { ...exit, error: null });
		this.#notify();
	}

	driver(siteId: string, provider: Provider = "local"): ClusterDriver {
		const mine = new Set<() => void>();
		return {
			siteId,
			provider,
			capabilities: { multiNode: false, pushesChanges: true },
			observe: () => this.calls.run({ method: "observe" }, () => this.#observe()),
			start: (request) => this.calls.run({ method: "start", ids: [request.attemptId] }, () => this.#start(request)),
			stop: (attemptId, graceMs) => this.calls.run({ method: "stop", ids: [attemptId] }, () => this.#stop(attemptId, graceMs)),
			readLogs: (attemptId, cursor, maxBytes) =>
				this.calls.run({ method: "readLogs", ids: [attemptId] }, () => this.#readLogs(attemptId, cursor, maxBytes)),
			checkpointFolder: () => null,
			listOutput: async () => null,
			queue: this.#options.hasQueue ? this.theirs.port() : null,
			forget: (attemptId) => this.calls.run({ method: "forget", ids: [attemptId] }, () => this.#forget(attemptId)),
			subscribe: (onChange) => {
				// Uses a new wrapper each time, so that the same function subscribed twice is two subscriptions.
				const entry = () => onChange();
				this.#subscribers.add(entry);
				mine.add(entry);
				return () => {
					this.#subscribers.delete(entry);
					mine.delete(entry);
				};
			},
			close: async ({ stopJobs, graceMs }) => {
				for (const entry of mine) this.#subscribers.delete(entry);
				if (stopJobs) for (const attemptId of this.#attempts.keys()) this.#stop(attemptId, graceMs);
			},
		};
	}

	#observe() {
		const { poolId, accelerator, slots, hasQueue } = this.#options;
		const unavailableSlots = [...new Set([...this.unavailableSlots, ...this.theirs.takenSlots()])].sort((a, b) => a - b);
		return {
			observedAtMs: this.#now(),
			pools: [{ id: poolId, accelerator, nodes: 1, gpusPerNode: slots, unavailableSlots }],
			nodes: [{ name: `${poolId}-1`, poolId, state: "ready" as const, reason: null, gpus: slots, gpusUsed: this.#heldSlots().size }],
			attempts: this.attempts(),
			foreign: hasQueue ? this.theirs.observation() : null,
		};
	}

	#freeSlots(gpus: number): number[] | null {
		const taken = new Set([...this.unavailableSlots, ...this.#heldSlots()]);
		const free = Array.from({ length: this.#options.slots }, (_, i) => i).filter((slot) => !taken.has(slot));
		return free.length < gpus ? null : free.slice(0, gpus);
	}

	#heldSlots(): Set<number> {
		const live = [...this.#attempts.values()].filter((a) => !isOver(a, this.#now())).flatMap((a) => a.request.slots);
		return new Set([...live, ...this.theirs.heldSlots()]);
	}

	#start(request: StartAttempt): void {
		checkStart(request, this.#options);
		if (this.#attempts.has(request.attemptId)) return;
		const live = [...this.#attempts.values()].filter((a) => !isOver(a, this.#now()));
		rejectBusySlots(
			request,
			live.map((a) => ({ attemptId: a.request.attemptId, slots: a.request.slots })),
		);
		const job = (this.#options.jobOf ?? defaultFakeJob)(request);
		const attempt = newAttempt(request, job, this.#now());
		this.#attempts.set(request.attemptId, attempt);
		this.#notify();
		this.#options.wake?.(attempt.stagedAtMs, () => this.#notify());
		this.#wakeAtEnd(attempt);
	}

	#stop(attemptId: string, graceMs: number): void {
		const attempt = this.#attempts.get(attemptId);
		if (!attempt || isOver(attempt, this.#now())) return;
		requestStop(attempt, this.#now(), graceMs);
		this.#notify();
		this.#wakeAtEnd(attempt);
	}

	#readLogs(attemptId: string, cursor: LogCursor, maxBytes: number): { lines: LogLine[]; cursor: LogCursor } {
		const attempt = this.#attempts.get(attemptId);
		if (!attempt || observeAttempt(attempt, this.#now()).startedAtMs === null) return { lines: [], cursor };
		const next = { ...cursor };
		const lines: LogLine[] = [];
		for (const stream of ["stdout", "stderr"] as const) {
			const whole = new TextEncoder().encode(attempt.job[stream].map((line) => `${line}\n`).join(""));
			const chunk = whole.subarray(cursor[stream], cursor[stream] + Math.max(2, Math.floor(maxBytes / 2)));
			const taken = takeLines(chunk, { atEnd: false, lineBytesMax: Math.max(1, Math.floor(maxBytes / 2) - 1) });
			next[stream] += taken.usedBytes;
			for (const text of taken.lines) lines.push({ atMs: this.#now(), stream, text });
		}
		return { lines, cursor: next };
	}

	#forget(attemptId: string): void {
		const attempt = this.#attempts.get(attemptId);
		if (attempt && !isOver(attempt, this.#now())) {
			throw new DriverError("invalid_request", `attempt ${attemptId} is not over and cannot be forgotten; stop it first`);
		}
		this.#attempts.delete(attemptId);
	}

	#wakeAtEnd(attempt: FakeAttempt): void {
		if (attempt.end.atMs !== null) this.#options.wake?.(attempt.end.atMs, () => this.#notify());
	}

	#notify(): void {
		for (const subscriber of [...this.#subscribers]) subscriber();
	}

	#now(): number {
		return this.#options.clock.nowMs();
	}
}
