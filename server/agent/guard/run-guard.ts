import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { bootTimeMs } from "../lease.ts";
import { pause } from "../wait.ts";
import { Freezer } from "./freezer.ts";
import type { JobMark } from "./job-processes.ts";

const LOOK_EVERY_MS = 250;
/** Paused processes are rescanned for missed or resumed ones less often: that costs two reads for each process. */
const FROZEN_LOOK_EVERY_MS = 1_000;
/** Longest wait for the end of processes that were killed; what hangs in the kernel goes with the machine. */
const KILL_WAIT_MS = 5_000;

/** Messages from the agent to its guard, one a line: until when the job may run (bootTimeMs), and the command's process. */
export type GuardOrder = { untilMs: number } | { rootPid: number };
/** Messages from the guard: that it watches, and what it did. */
export type GuardWord = "watching" | "frozen" | "thawed";

/**
 * A process next to the agent that pauses the job when its lease expires, whether the agent lives, hangs or was killed, and resumes it
 * when the lease is renewed. When the agent no longer exists it ends the job: no one would save its work or end the machine
 * properly. It returns then, or when the agent closes its input.
 */
export async function runGuard(variable: string): Promise<void> {
	const mark: JobMark = { variable, rootPid: null };
	const freezer = new Freezer(() => mark);
	let untilMs = Number.NEGATIVE_INFINITY;
	let isFrozen = false;
	protect();
	// A reader that no longer exists must not end it before the job has ended.
	process.stdout.on("error", () => {});
	const send = (word: GuardWord): void => void process.stdout.write(`${word}\n`);
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
	// It can only work where it sees processes.
	readFileSync("/proc/self/stat");
	send("watching");
	while (await pause(LOOK_EVERY_MS, gone.signal)) look();
	const until = performance.now() + KILL_WAIT_MS;
	while (freezer.kill() && performance.now() < until) await pause(20);
}

/** It outlives what ends others: a shutdown until the machine is off, memory that is full, and processors that are busy. */
function protect(): void {
	for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
	for (const protection of [() => writeFileSync("/proc/self/oom_score_adj", "-1000"), () => setPriority(-20)]) {
		try {
			protection();
		} catch {
			// Only root may.
		}
	}
}
