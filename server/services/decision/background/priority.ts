import os from "node:os";

/** Lowers the priority of a process; on Linux, 0 is the current thread. */
export function lowerPriority(pid: number): void {
	try {
		os.setPriority(pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
	} catch {
		// It has already ended, or this system does not allow it: then it runs at normal priority.
	}
}
