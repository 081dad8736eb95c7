import { readFileSync } from "node:fs";
import type { Exit } from "#server/domain/outcome.ts";

/** How the kernel's OOM killer ends a command: by SIGKILL, or with a shell's exit code for a killed child. */
const KILLED_STATUS = 137;

/** Detects out-of-memory kills on this machine from now on. The machine runs only this job. */
export function watchMemory(statistics = "/proc/vmstat"): {
	/** Returns the same exit, with `outOfMemory` if that is why the command was killed. */
	explain(exit: Exit): Exit;
} {
	const before = killsOf(statistics);
	return {
		explain: (exit) => {
			if (exit.signal !== "SIGKILL" && exit.code !== KILLED_STATUS) return exit;
			const after = killsOf(statistics);
			return before !== null && after !== null && after > before ? { ...exit, outOfMemory: true } : exit;
		},
	};
}

/** Number of processes that the OOM killer ended since the machine booted; null if the kernel does not count them. */
function killsOf(statistics: string): number | null {
	try {
		const [, count] = /^oom_kill (\d+)$/m.exec(readFileSync(statistics, "utf8")) ?? [];
		return count === undefined ? null : Number(count);
	} catch {
		return null;
	}
}
