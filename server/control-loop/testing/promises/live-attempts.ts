import type { Observed } from "./observed.ts";
import type { Promised } from "./promise.ts";

/** A job never has two live attempts: neither in the rows nor in reality, where commands run. */
export function liveAttempts(): Promised {
	const after = ({ attempts, commands }: Observed): string | null => {
		const rows = twice(attempts.filter((a) => a.finishedAt === null).map(({ id, jobId }) => ({ id, jobId })));
		if (rows) return `job ${rows.jobId} has two live attempts: ${rows.ids}`;
		const running = twice(commands.map(({ attemptId, jobId }) => ({ id: attemptId, jobId })));
		return running ? `two commands of job ${running.jobId} run at once: ${running.ids}` : null;
	};
	return { name: "live-attempts", after, atEnd: after };
}

function twice(rows: readonly { id: string; jobId: string }[]): { jobId: string; ids: string } | null {
	const first = new Map<string, string>();
	for (const { id, jobId } of rows) {
		const other = first.get(jobId);
		if (other !== undefined && other !== id) return { jobId, ids: `${other} and ${id}` };
		first.set(jobId, id);
	}
	return null;
}
