import type { ForeignJob, ForeignOutcome } from "#server/domain/foreign-job.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DriverError } from "../driver-errors.ts";
import type { ForeignObservation, ForeignQueue, ForeignScript, ForeignSight, OutputLine } from "../foreign-queue.ts";
import type { CallScript } from "./calls.ts";

/** A job that someone else submits to the fake cluster's own queue. */
interface FakeForeign {
	name?: string;
	user?: string;
	gpus: number;
	/** null: runs until it is ended. */
	runMs: number | null;
	exitCode?: number;
	optIn?: string | null;
	script?: string;
	obstacles?: string[];
	/** The owner's folder for checkpoints. */
	checkpoints?: string;
	dependsOn?: string | null;
	timeLimitMs?: number | null;
}

interface Entry {
	job: ForeignJob;
	given: FakeForeign;
	/** Held by someone else. */
	heldByOthers: boolean;
	end: ForeignSight["end"];
	finished: ForeignOutcome | null;
	output: OutputLine[];
	/** Folder of files returned from elsewhere as its checkpoint. */
	checkpointFrom: string | null;
}

interface FakeQueueOptions {
	clock: Clock;
	calls: CallScript;
	poolId: string;
	/** Free slots for a job that needs this many; null if there are not enough. */
	freeSlots(gpus: number): number[] | null;
}

/** The own queue of a cluster in memory: every job that fits starts, in submission order, and ends after its run time. */
export class FakeQueue {
	readonly #options: FakeQueueOptions;
	readonly #entries = new Map<string, Entry>();
	#last: readonly ForeignJob[] = [];
	#number = 0;
	#refusedWith: string | null = null;

	constructor(options: FakeQueueOptions) {
		this.#options = options;
	}

	submit(given: FakeForeign): string {
		this.#number += 1;
		const id = String(this.#number);
		const job: ForeignJob = {
			id,
			name: given.name ?? "theirs",
			user: given.user ?? "alice",
			partition: "gpu",
			poolId: this.#options.poolId,
			state: "waiting",
			waitingReason: "Resources",
			nodes: 1,
			gpus: given.gpus,
			slots: [],
			position: 0,
			submittedAtMs: this.#now(),
			startedAtMs: null,
			timeLimitMs: given.timeLimitMs ?? given.runMs,
			optIn: given.optIn ?? null,
			holdMark: null,
			array: null,
			groupId: null,
			dependsOn: given.dependsOn ?? null,
		};
		this.#entries.set(id, { job, given, heldByOthers: false, end: null, finished: null, output: [], checkpointFrom: null });
		this.#settle();
		return id;
	}

	/** Acts as its owner or an administrator, without the driver's knowledge. */
	act(id: string, what: "hold" | "release" | "cancel" | "requeue" | "forget"): void {
		const entry = this.#entries.get(id);
		if (!entry) return;
		if (what === "forget") this.#entries.delete(id);
		if (what === "hold") entry.heldByOthers = true;
		if (what === "release") {
			entry.heldByOthers = false;
			entry.job = { ...entry.job, holdMark: null };
		}
		if (what === "cancel") this.#end(entry, "cancelled", null);
		if (what === "requeue") {
			entry.end = null;
			entry.job = { ...entry.job, startedAtMs: null, slots: [] };
		}
		this.#settle();
	}

	/** The final state of a job, for tests. */
	entry(id: string): Readonly<Entry> | null {
		this.#settle();
		return this.#entries.get(id) ?? null;
	}

	/** From now on nothing can be written to users' folders. */
	refuseFiles(problem: string): void {
		this.#refusedWith = problem;
	}

	takenSlots(): number[] {
		this.#settle();
		return this.heldSlots();
	}

	/** As of the last reading. */
	heldSlots(): number[] {
		return [...this.#entries.values()].flatMap(({ job, end }) => (end === null ? job.slots : []));
	}

	observation(): ForeignObservation {
		this.#settle();
		const live = [...this.#entries.values()].filter(({ end }) => end === null);
		const waiting = live.filter(({ job }) => job.startedAtMs === null).map(({ job }) => job.id);
		const jobs = live.map(({ job }) => ({ ...job, position: job.startedAtMs === null ? waiting.indexOf(job.id) : null }));
		if (JSON.stringify(jobs) !== JSON.stringify(this.#last)) this.#last = jobs;
		return { atMs: this.#now(), jobs: this.#last };
	}

	port(): ForeignQueue {
		const { calls } = this.#options;
		return {
			look: (id) => calls.run({ method: "look", ids: [id] }, () => this.#sight(id)),
			readScript: (id) => calls.run({ method: "readScript", ids: [id] }, () => this.#script(id)),
			hold: (id, mark) => calls.run({ method: "hold", ids: [id] }, () => this.#hold(id, mark)),
			release: (id, mark) => calls.run({ method: "release", ids: [id] }, () => this.#release(id, mark)),
			finish: (id, outcome) => calls.run({ method: "finish", ids: [id] }, () => this.#finish(id, outcome)),
			bringCheckpoint: (id, from) =>
				calls.run({ method: "bringCheckpoint", ids: [id] }, () => {
					if (this.#refusedWith !== null) return { files: [], problem: this.#refusedWith };
					const entry = this.#entries.get(id);
					if (entry) entry.checkpointFrom = from;
					return { files: [`/home/alice/${entry?.given.checkpoints}`], problem: null };
				}),
			writeOutput: async (id, lines) => {
				const all: OutputLine[] = [];
				for await (const line of lines) all.push(line);
				return calls.run({ method: "writeOutput", ids: [id] }, () => {
					const entry = this.#entries.get(id);
					if (entry) entry.output = all;
					return { files: [`/home/alice/slurm-${id}.out`], problem: null };
				});
			},
		};
	}

	#script(id: string): ForeignScript {
		const entry = this.#entries.get(id);
		if (!entry) throw new DriverError("not_found", `there is no job ${id}`);
		const text = entry.given.script ?? `#!/bin/bash\n#SBATCH --gres=gpu:${entry.given.gpus}\ntrain\n`;
		return {
			kind: "sbatch",
			text,
			obstacles: entry.given.obstacles ?? [],
			...(entry.given.checkpoints ? { checkpoints: { path: entry.given.checkpoints } } : {}),
		};
	}

	#hold(id: string, mark: string): ForeignSight {
		this.#settle();
		const entry = this.#entries.get(id);
		if (entry && entry.end === null && entry.job.startedAtMs === null && !entry.heldByOthers && entry.job.holdMark === null) {
			entry.job = { ...entry.job, holdMark: mark };
			this.#settle();
		}
		return this.#sight(id);
	}

	#release(id: string, mark: string): ForeignSight {
		const entry = this.#entries.get(id);
		if (entry?.end === null && entry.job.holdMark === mark) entry.job = { ...entry.job, holdMark: null };
		return this.#sight(id);
	}

	#finish(id: string, outcome: ForeignOutcome): ForeignSight {
		this.#settle();
		const entry = this.#entries.get(id);
		if (entry && entry.end === null) {
			entry.finished = outcome;
			entry.job = { ...entry.job, holdMark: null };
			this.#end(entry, outcome.outcome, outcome.exitCode);
		}
		return this.#sight(id);
	}

	#sight(id: string): ForeignSight {
		this.#settle();
		const entry = this.#entries.get(id);
		if (!entry) return { state: "gone", holdMark: null, startedAtMs: null, end: null };
		const { state, holdMark, startedAtMs } = entry.job;
		return { state: entry.end === null ? state : "over", holdMark, startedAtMs, end: entry.end };
	}

	#end(entry: Entry, outcome: "succeeded" | "failed" | "cancelled", exitCode: number | null, atMs = this.#now()): void {
		entry.end ??= { outcome, exitCode, atMs };
	}

	#settle(): void {
		for (const entry of this.#entries.values()) {
			const { job, given } = entry;
			if (entry.end !== null) continue;
			if (job.startedAtMs !== null) {
				const endMs = given.runMs === null ? null : job.startedAtMs + given.runMs;
				const code = given.exitCode ?? 0;
				if (endMs !== null && endMs <= this.#now()) this.#end(entry, code === 0 ? "succeeded" : "failed", code, endMs);
				continue;
			}
			if (job.holdMark !== null || entry.heldByOthers) {
				entry.job = { ...job, state: "held", waitingReason: "JobHeldAdmin" };
				continue;
			}
			const slots = this.#options.freeSlots(given.gpus);
			entry.job = slots
				? { ...job, state: "running", waitingReason: null, slots, startedAtMs: this.#now() }
				: { ...job, state: "waiting", waitingReason: "Resources" };
		}
	}

	#now(): number {
		return this.#options.clock.nowMs();
	}
}
