import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { findGuestProcesses, type GuestMark, type ProcessInfo, startOf } from "./processes.ts";

const POLL_MS = 30;
/** Polling interval after SIGKILL. Only the kernel (I/O) can still hold a process, so it is longer. */
const STUBBORN_POLL_MS = 500;

/**
 * Ends every process of a machine: SIGTERM, after `graceMs` SIGKILL. Returns only when none is left.
 * @throws AbortError if `signal` is aborted first
 */
export async function stopGuest(mark: GuestMark, graceMs: number, signal: AbortSignal): Promise<void> {
	const startedAt = performance.now();
	let known: ProcessInfo[] = [];
	const terminated = new Set<number>();
	// Lets machines that are ended by one call share one scan of the host.
	await nextTurn(undefined, { signal });
	for (let sinceMs = startedAt; ; ) {
		const living = findGuestProcesses(mark, known, sinceMs);
		sinceMs = performance.now();
		if (living.length === 0 && !groupLives(mark)) return;
		known = merge(known, living);
		const elapsedMs = performance.now() - startedAt;
		const kill = elapsedMs >= graceMs;
		for (const process of living) {
			if (kill) send(process, "SIGKILL");
			else if (!terminated.has(process.pid)) send(process, "SIGTERM");
			terminated.add(process.pid);
		}
		if (living.length === 0 && mark.sessionId !== null) signalGroup(mark.sessionId, kill ? "SIGKILL" : "SIGTERM");
		await sleep(elapsedMs > graceMs + 2_000 ? STUBBORN_POLL_MS : POLL_MS, undefined, { signal });
	}
}

function merge(known: readonly ProcessInfo[], living: readonly ProcessInfo[]): ProcessInfo[] {
	return [...new Map([...known, ...living].map((process) => [`${process.pid}/${process.started}`, process])).values()];
}

function send(target: ProcessInfo, signal: NodeJS.Signals): void {
	// Checked again right before the signal: another process may have the id by now.
	if (startOf(target.pid) !== target.started) return;
	try {
		process.kill(target.pid, signal);
	} catch {
		// It ended in between.
	}
}

/** Used only without /proc: whether the group still accepts signals. */
function groupLives(mark: GuestMark): boolean {
	if (process.platform === "linux" || mark.sessionId === null) return false;
	return signalGroup(mark.sessionId, 0);
}

function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
	try {
		process.kill(-groupId, signal);
		return true;
	} catch {
		return false;
	}
}
