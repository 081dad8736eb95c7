import { readFileSync } from "node:fs";

/** From /proc/<pid>/stat, on Linux. */
const TICKS_PER_SECOND = 100;

/** Fields of a process in /proc/<pid>/stat, after its name: see proc(5). */
export function statFields(pid: number): number[] {
	return readFileSync(`/proc/${pid}/stat`, "utf8")
		.replace(/^.*\) /s, "")
		.split(" ")
		.map(Number);
}

/** Seconds of a field of statFields that counts clock ticks. */
export function secondsOf(fields: readonly number[], ...indexes: number[]): number {
	return indexes.reduce((sum, i) => sum + (fields[i] ?? 0), 0) / TICKS_PER_SECOND;
}

/** Processor seconds that a process has used so far, in all its threads. */
export function processSeconds(pid: number): number {
	return secondsOf(statFields(pid), 11, 12);
}
