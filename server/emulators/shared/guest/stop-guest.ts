import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { findGuestProcesses, type GuestMark, type ProcessInfo, startOf } from "./processes.ts";

const POLL_MS = 30;
/** After SIGKILL only the kernel can hold a process (I/O); look less often then. */
const STUBBORN_POLL_MS = 500;

/**
 * Ends every process of a machine: SIGTERM, after `graceMs` SIGKILL, and returns only when none is left.
 * @throws AbortError when `signal` is aborted first
 */
export async function stopGuest(mark: GuestMark, graceMs: number, signal: AbortSignal): Promise<void> {
	const startedAt = performance.now();
	let known: ProcessInfo[] = [];
	const terminated = new Set<number>();
	// So that machines which are ended by one call share one look at the host.
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
	// Read again just before: the number may have gone to another process.
	if (startOf(target.pid) !== target.started) return;
	try {
		process.kill(target.pid, signal);
	} catch {
		// It ended in between.
	}
}

/** Only where there is no /proc to look into: whether the group takes signals. */
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
