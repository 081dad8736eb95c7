import { findJobProcesses, type JobMark } from "./job-processes.ts";

/** Processes that show only after others are paused are found in one of the next passes. */
const PASSES_MAX = 20;

/** Pauses all of a job's processes, and resumes those that it paused. */
export class Freezer {
	readonly #mark: () => JobMark;
	readonly #frozen = new Set<number>();

	constructor(mark: () => JobMark) {
		this.#mark = mark;
	}

	/** Until a pass finds none that still goes: one that was being started while its parent was stopped is found by the next. */
	freeze(): void {
		for (let pass = 0; pass < PASSES_MAX; pass++) {
			const going = findJobProcesses(this.#mark()).filter(({ pid, isStopped }) => !isStopped && !this.#isToldIn(pass, pid));
			if (going.length === 0) return;
			for (const { pid } of going) if (send(pid, "SIGSTOP")) this.#frozen.add(pid);
		}
	}

	/** SIGSTOP takes a moment to come to a process that waits in the kernel: within one call it is sent once. */
	#isToldIn(pass: number, pid: number): boolean {
		return pass > 0 && this.#frozen.has(pid);
	}

	/** What the job itself paused stays paused. */
	thaw(): void {
		for (const pid of this.#frozen) send(pid, "SIGCONT");
		this.#frozen.clear();
	}

	/** SIGKILL. Answers whether any was left. */
	kill(): boolean {
		const left = findJobProcesses(this.#mark());
		for (const { pid } of left) send(pid, "SIGKILL");
		return left.length > 0;
	}
}

function send(pid: number, signal: NodeJS.Signals): boolean {
	try {
		process.kill(pid, signal);
		return true;
	} catch {
		return false; // It ended in between.
	}
}
