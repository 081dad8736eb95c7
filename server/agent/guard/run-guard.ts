import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { bootTimeMs } from "../lease.ts";
import { pause } from "../wait.ts";
import { Freezer } from "./freezer.ts";
import type { JobMark } from "./job-processes.ts";

const LOOK_EVERY_MS = 250;
/**
 * Interval at which paused processes are scanned for missed or resumed ones. A scan costs two reads per process, so it is longer.
 */
const FROZEN_LOOK_EVERY_MS = 1_000;
/** Longest wait for killed processes to end. One that hangs in the kernel ends with the machine. */
const KILL_WAIT_MS = 5_000;

/** Messages from the agent to its guard, one per line: how long the job may run (bootTimeMs), and the command's process. */
export type GuardOrder = { untilMs: number } | { rootPid: number };
/** Messages from the guard: that it is watching, and what it did. */
export type GuardReport = "watching" | "frozen" | "thawed";

/**
 * Runs next to the agent. Pauses the job when its lease expires, even if the agent hangs or was killed, and resumes it when the
 * lease is renewed. Ends the job if the agent dies, because no one else would save its work or shut the machine down properly.
 * Returns then, or when the agent closes its input.
 */
export async function runGuard(variable: string): Promise<void> {
	const mark: JobMark = { variable, rootPid: null };
	const freezer = new Freezer(() => mark);
	let untilMs = Number.NEGATIVE_INFINITY;
	let isFrozen = false;
	protect();
	// A closed reader must not end the guard before the job has ended.
	process.stdout.on("error", () => {});
	const send = (word: GuardReport): void => void process.stdout.write(`${word}\n`);
	let lookedAtMs = Number.NEGATIVE_INFINITY;
	const look = (): void => {
		const nowMs = bootTimeMs();
		if (nowMs >= untilMs) {
			if (isFrozen && nowMs - lookedAtMs < FROZEN_LOOK_EVERY_MS) return;
			freezer.freeze();
			lookedAtMs = nowMs;
			if (!isFrozen) send("frozen");
			isFrozen = true;
		} else if (isFrozen) {
			freezer.thaw();
			isFrozen = false;
			send("thawed");
		}
	};
	const gone = new AbortController();
	const orders = createInterface({ input: process.stdin });
	orders.on("line", (line) => {
		const order = JSON.parse(line) as GuardOrder;
		if ("untilMs" in order) untilMs = order.untilMs;
		else {
			mark.rootPid = order.rootPid;
			lookedAtMs = Number.NEGATIVE_INFINITY;
		}
		look();
	});
	orders.once("close", () => gone.abort());
	// The guard works only if it can see processes.
	readFileSync("/proc/self/stat");
	send("watching");
	while (await pause(LOOK_EVERY_MS, gone.signal)) look();
	const until = performance.now() + KILL_WAIT_MS;
	while (freezer.kill() && performance.now() < until) await pause(20);
}

/** The guard must outlive what ends other processes: a shutdown, a lack of memory, busy processors. */
function protect(): void {
	for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
	for (const protection of [() => writeFileSync("/proc/self/oom_score_adj", "-1000"), () => setPriority(-20)]) {
		try {
			protection();
		} catch {
			// Only root may do this.
		}
	}
}
