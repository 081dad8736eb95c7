import type { Checker, Observed } from "./checker.ts";

/** Never two live attempts of a job: neither in the rows nor in truth, where commands run. */
export function liveAttemptsChecker(): Checker {
	const after = ({ world }: Observed): string | null => {
		const rows = new Map<string, string>();
		for (const { id, jobId } of world.book.liveAttempts) {
			const other = rows.get(jobId);
			if (other) return `job ${jobId} has two live attempts: ${other} and ${id}`;
			rows.set(jobId, id);
		}
		const commands = new Map<string, string>();
		for (const running of [world.home.running(), world.agents.running()]) {
			for (const { attemptId, jobId } of running) {
				const other = commands.get(jobId);
				if (other) return `two commands of job ${jobId} run at once: ${other} and ${attemptId}`;
				commands.set(jobId, attemptId);
			}
		}
		return null;
	};
	return { name: "live-attempts", after, atEnd: after };
}
