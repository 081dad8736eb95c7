import { readdirSync, readFileSync } from "node:fs";

/** One process as reported by the kernel. */
interface Seen {
	pid: number;
	parentPid: number;
	groupId: number;
	/** The kernel's state letter: T is stopped, Z is a zombie. */
	state: string;
}

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
	return all.flatMap(({ pid, state }) => (found.has(pid) && !"ZX".includes(state) ? [{ pid, isStopped: "Tt".includes(state) }] : []));
}

function readAll(): Seen[] {
	return readdirSync("/proc").flatMap((name) => {
		const pid = Number(name);
		if (!Number.isInteger(pid) || pid < 2) return [];
		try {
			const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
			// The name of the program is in parentheses and may contain anything.
			const [state = "X", parentPid, groupId] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
			return [{ pid, state, parentPid: Number(parentPid), groupId: Number(groupId) }];
		} catch {
			return []; // The process ended in between.
		}
	});
}

function environmentOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1");
	} catch {
		return ""; // The process ended, or belongs to another user.
	}
}
