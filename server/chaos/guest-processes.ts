import { readdirSync, readFileSync } from "node:fs";

/** Repeat the search: a process may start another one while it runs. */
const LOOKS_MAX = 20;

/** Ends all processes of a run, on machines and at home: those with its folder in their environment. */
export function endProcessesOf(folder: string): void {
	if (folder === "") return;
	for (let look = 0; look < LOOKS_MAX; look++) {
		const found = processesOf(folder);
		if (found.length === 0) return;
		for (const pid of found) send(pid, "SIGKILL");
	}
}

/** Processes with a path in this folder in their environment, except the caller. */
export function processesOf(folder: string): number[] {
	return readdirSync("/proc")
		.map(Number)
		.filter((pid) => Number.isInteger(pid) && pid > 1 && pid !== process.pid && environmentOf(pid).includes(`${folder}/`));
}

function environmentOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1");
	} catch {
		// It ended or belongs to another user.
		return "";
	}
}

/** The agent process of an emulated machine; null before it starts and after it ends. */
export function agentOf(guestPid: number): number | null {
	for (const pid of childrenOf(guestPid)) if (commandOf(pid).includes("agent.mjs")) return pid;
	return null;
}

/** Applies a kill to a machine. `alone`: nothing is left on it that would end it before its dead man's switch. */
export function disruptAgent(guestPid: number, how: "killed" | "alone" | "hung"): boolean {
	const agent = agentOf(guestPid);
	if (agent === null) return false;
	// Kill the shell first: it would power the machine off once the agent is dead.
	if (how === "alone") send(guestPid, "SIGKILL");
	send(agent, how === "hung" ? "SIGSTOP" : "SIGKILL");
	return true;
}

/** Resumes a hung agent. */
export function resumeAgent(guestPid: number): void {
	const agent = agentOf(guestPid);
	if (agent !== null) send(agent, "SIGCONT");
}

function childrenOf(pid: number): number[] {
	try {
		return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
			readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
		);
	} catch {
		return [];
	}
}

function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "latin1");
	} catch {
		return "";
	}
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It ended in the meantime.
	}
}
