import { findJobProcesses, type JobMark } from "./job-processes.ts";

/** Upper limit of passes. Each pass can find processes that appeared while others were being paused. */
const PASSES_MAX = 20;

/** Pauses all of a job's processes, and resumes those that it paused. */
export class Freezer {
	readonly #mark: () => JobMark;
	readonly #frozen = new Set<number>();

	constructor(mark: () => JobMark) {
		this.#mark = mark;
	}

	/** Repeats until a pass finds no running process: one that was starting while its parent was paused is found by the next. */
	freeze(): void {
		for (let pass = 0; pass < PASSES_MAX; pass++) {
			const going = findJobProcesses(this.#mark()).filter(({ pid, isStopped }) => !isStopped && !this.#isToldIn(pass, pid));
			if (going.length === 0) return;
			for (const { pid } of going) if (send(pid, "SIGSTOP")) this.#frozen.add(pid);
		}
	}

	/** SIGSTOP takes a moment to reach a process that waits in the kernel, so each call sends it once. */
	#isToldIn(pass: number, pid: number): boolean {
		return pass > 0 && this.#frozen.has(pid);
	}

	/** Processes that the job itself paused stay paused. */
	thaw(): void {
		for (const pid of this.#frozen) send(pid, "SIGCONT");
		this.#frozen.clear();
	}

	/** Sends SIGKILL. Returns whether any process was left. */
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
		return false; // The process ended in between.
	}
}
