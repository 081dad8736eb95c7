import { readFileSync } from "node:fs";
import type { Exit } from "#server/domain/outcome.ts";

/** What the kernel's OOM killer leaves of a command: a death by SIGKILL, or a shell's word for one of its children's. */
const KILLED_STATUS = 137;

/** Sees whether the machine's kernel killed somebody for want of memory from now on. The machine is there for one job. */
export function watchMemory(statistics = "/proc/vmstat"): {
	/** The same exit, with `outOfMemory` when that is why it was killed. */
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

/** How many processes the OOM killer ended since the machine booted; null where the kernel does not count. */
function killsOf(statistics: string): number | null {
	try {
		const [, count] = /^oom_kill (\d+)$/m.exec(readFileSync(statistics, "utf8")) ?? [];
		return count === undefined ? null : Number(count);
	} catch {
		return null;
	}
}
