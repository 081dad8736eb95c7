import { readdirSync, readFileSync } from "node:fs";
import { readProcessStat } from "#server/kernel/process-stat.mjs";

type ProcessStat = NonNullable<ReturnType<typeof readProcessStat>>;

export interface JobMark {
	/** A variable and its value that only this job's processes on this machine have: its work folder. */
	variable: string;
	/** The command's process, or the first process of its container; null before it starts. */
	rootPid: number | null;
}

/**
 * The living processes of a job on this machine: the command's group, all processes with its mark in their environment, wherever
 * they moved (a container, their own session, another parent), and their descendants. A process that left its group, lost its
 * parent and cleared its environment is not found. Needs Linux's /proc. Cost: two reads per process of the machine.
 */
export function findJobProcesses({ variable, rootPid }: JobMark): { pid: number; isStopped: boolean }[] {
	const all = readAll();
	const found = new Set<number>();
	for (const { pid, groupId } of all) {
		if (pid === process.pid || pid === process.ppid) continue;
		if (pid === rootPid || (rootPid !== null && groupId === rootPid) || environmentOf(pid).includes(`${variable}\0`)) found.add(pid);
	}
	for (let grew = found.size > 0; grew; ) {
		const children = all.filter(({ pid, parentPid }) => found.has(parentPid) && !found.has(pid));
		for (const { pid } of children) found.add(pid);
		grew = children.length > 0;
	}
	return all.filter(({ pid, isRunning }) => found.has(pid) && isRunning).map((stat) => ({ pid: stat.pid, isStopped: isStopped(stat) }));
}

/** A zombie that still runs is stopped when its other threads are. */
function isStopped({ pid, state }: ProcessStat): boolean {
	if (state !== "Z" && state !== "X") return "Tt".includes(state);
	try {
		return readdirSync(`/proc/${pid}/task`).every((thread) => "TtZX".includes(readProcessStat(`${pid}/task/${thread}`)?.state ?? "X"));
	} catch {
		return true; // It ended in between.
	}
}

function readAll(): ProcessStat[] {
	return readdirSync("/proc").flatMap((name) => {
		const pid = Number(name);
		if (!Number.isInteger(pid) || pid < 2) return [];
		return readProcessStat(pid) ?? [];
	});
}

function environmentOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1");
	} catch {
		return ""; // The process ended, or belongs to another user.
	}
}
