import { readdirSync, readFileSync } from "node:fs";

/** A process may start another one in the moment in which it is looked for. */
const LOOKS_MAX = 20;

/** Ends all processes of a run: those that have its folder in their environment, the machines' own and what runs at home. */
export function endProcessesOf(folder: string): void {
	if (folder === "") return;
	for (let look = 0; look < LOOKS_MAX; look++) {
		const found = processesOf(folder);
		if (found.length === 0) return;
		for (const pid of found) send(pid, "SIGKILL");
	}
}

/** Those with an environment that names something in this folder, except the caller. */
export function processesOf(folder: string): number[] {
	return readdirSync("/proc")
		.map(Number)
		.filter((pid) => Number.isInteger(pid) && pid > 1 && pid !== process.pid && environmentOf(pid).includes(`${folder}/`));
}

function environmentOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1");
	} catch {
		// It ended, or is somebody else's.
		return "";
	}
}

/** The agent's process of an emulated machine, or null while or after there is none. */
export function agentOf(guestPid: number): number | null {
	for (const pid of childrenOf(guestPid)) if (commandOf(pid).includes("agent.mjs")) return pid;
	return null;
}

/** What a kill does to a machine. `alone`: no one is left on it who would end it before its dead man's switch. */
export function strike(guestPid: number, how: "killed" | "alone" | "hung"): boolean {
	const agent = agentOf(guestPid);
	if (agent === null) return false;
	// The shell first, which would power the machine off when its agent no longer exists.
	if (how === "alone") send(guestPid, "SIGKILL");
	send(agent, how === "hung" ? "SIGSTOP" : "SIGKILL");
	return true;
}

/** Lets an agent go on that was hung. */
export function goOn(guestPid: number): void {
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
		// It ended in between.
	}
}
