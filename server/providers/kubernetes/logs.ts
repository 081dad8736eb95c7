import type { Clock } from "#server/kernel/clock.ts";
import type { LogCursor, LogLine } from "../driver.ts";
import type { KubeCalls } from "./client.ts";
import type { KueueWorkloads } from "./kueue.ts";
import { KeptLog, sinceTimeOf, takeBatch, timedLines } from "./log-reader.ts";
import { CONTAINER } from "./names.ts";
import type { KubeEvent, KubePod } from "./objects.ts";
import type { AttemptFacts } from "./observe-attempt.ts";

/** Interval for reading the cluster's events about an attempt that is waiting or being deleted. */
const EVENTS_EVERY_MS = 2_000;
/** Longest read of one batch. */
const READ_TIMEOUT_MS = 20_000;

/**
 * Log lines of attempts: the output of its first pod (the cluster merges both streams), and the cluster's own warnings. Cursor:
 * `stdout` is the position in the log, in ns since the pod was created; `stderr` that in the warnings, in ms since then.
 */
export class AttemptLogs {
	readonly #calls: KubeCalls;
	readonly #clock: Clock;
	readonly #kueue: KueueWorkloads;
	readonly #kept = new Map<string, { log: KeptLog; done: Promise<void> }>();
	readonly #events = new Map<string, { list: KubeEvent[]; atMs: number }>();
	readonly #ended = new AbortController();

	constructor(calls: KubeCalls, clock: Clock, kueue: KueueWorkloads) {
		this.#calls = calls;
		this.#clock = clock;
		this.#kueue = kueue;
	}

	async read(facts: AttemptFacts, cursor: LogCursor, maxBytes: number): Promise<{ lines: LogLine[]; cursor: LogCursor }> {
		const first = firstPod(facts);
		const epochMs = first?.createdAtMs ?? facts.createdAtMs;
		const warnings = await this.#warnings(facts, first, epochMs, cursor.stderr);
		const printed = first ? await this.#printed(first, cursor.stdout, maxBytes) : { lines: [], lastNs: null };
		const last = warnings.at(-1);
		return {
			lines: [...warnings, ...printed.lines],
			cursor: { stdout: printed.lastNs ?? cursor.stdout, stderr: last ? last.atMs - epochMs + 1 : cursor.stderr },
		};
	}

	/** Keeps the log of this pod here from now on. Returns when it is being followed, or cannot be. */
	async keep(pod: KubePod): Promise<void> {
		if (this.#kept.has(pod.name) || pod.container?.terminated || !pod.container?.running) return;
		const log = new KeptLog(pod.createdAtMs);
		const stream = await this.#calls.log(pod.name, { container: CONTAINER, follow: true }, this.#ended.signal).catch(() => null);
		if (!stream || this.#kept.has(pod.name)) return;
		// What arrived before the cut was read; nothing more is available.
		this.#kept.set(pod.name, { log, done: log.follow(stream).catch(() => {}) });
	}

	forget(facts: AttemptFacts): void {
		for (const { name } of facts.pods) {
			this.#kept.delete(name);
			this.#events.delete(name);
		}
		if (facts.job) {
			this.#events.delete(facts.job.name);
			this.#kueue.forget(facts.job);
		}
	}

	close(): void {
		this.#ended.abort();
	}

	async #printed(pod: KubePod, afterNs: number, maxBytes: number): Promise<{ lines: LogLine[]; lastNs: number | null }> {
		if (pod.node === null) return { lines: [], lastNs: null };
		const kept = this.#kept.get(pod.name);
		if (kept) {
			if (pod.container?.terminated) await kept.done;
			return takeBatch(kept.log.after(afterNs), pod.createdAtMs, maxBytes);
		}
		const abort = new AbortController();
		const signal = AbortSignal.any([abort.signal, this.#ended.signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
		const stream = await this.#calls.log(pod.name, { container: CONTAINER, ...sinceTimeOf(pod.createdAtMs, afterNs) }, signal);
		if (!stream) return { lines: [], lastNs: null };
		try {
			return await takeBatch(timedLines(stream, pod.createdAtMs, afterNs), pod.createdAtMs, maxBytes);
		} finally {
			abort.abort();
		}
	}

	/** The cluster's warnings: that no node has capacity, an image cannot be pulled, a pod is evicted, or Kueue has no quota. */
	async #warnings(facts: AttemptFacts, pod: KubePod | null, epochMs: number, afterMs: number): Promise<LogLine[]> {
		const events = pod ? await this.#ask("Pod", pod.name, isSettled(pod)) : facts.job ? await this.#ask("Job", facts.job.name, false) : [];
		const queued = await this.queued(facts);
		return [...events, ...queued]
			.filter((e) => e.warning && e.atMs - epochMs >= afterMs)
			.sort((a, b) => a.atMs - b.atMs)
			.map((e) => ({ atMs: e.atMs, stream: "spillway" as const, text: `cluster event ${e.reason}: ${e.message}`.slice(0, 1_000) }));
	}

	/** Kueue's messages about a Job that it queues or evicts, also if a namespace's default queue takes Jobs that name none. */
	async queued({ job, pods }: AttemptFacts): Promise<KubeEvent[]> {
		if (!job || (!job.suspended && !pods.some((pod) => pod.deletionAtMs !== null))) return [];
		return this.#kueue.about(job, { hasPods: pods.length > 0 });
	}

	/** The cluster's events about a pod, warnings or not. */
	eventsOf(pod: KubePod): Promise<KubeEvent[]> {
		return this.#ask("Pod", pod.name, isSettled(pod));
	}

	async #ask(kind: "Pod" | "Job", name: string, settled: boolean): Promise<KubeEvent[]> {
		const known = this.#events.get(name);
		const nowMs = this.#clock.nowMs();
		if (known && (settled || nowMs - known.atMs < EVENTS_EVERY_MS)) return known.list;
		const list = await this.#calls.events(kind, name);
		this.#events.set(name, { list, atMs: nowMs });
		return list;
	}
}

/** For a pod that runs, or ended by itself, no new events are expected. */
function isSettled({ container, deletionAtMs }: KubePod): boolean {
	return deletionAtMs === null && (container?.running !== undefined || container?.terminated !== undefined);
}

function firstPod({ pods }: AttemptFacts): KubePod | null {
	return pods.toSorted((a, b) => a.index - b.index || a.createdAtMs - b.createdAtMs)[0] ?? null;
}
