import type { Inputs, Outputs } from "#components/trpc/outputs.ts";
import type { ToastMessage } from "#components/ui/toast.tsx";

export type ActInput = Inputs["job"]["act"];
export type JobAction = ActInput["action"];
export type JobActionResult = Outputs["job"]["act"]["items"][number];

export const countJobs = (count: number) => `${count.toLocaleString("en-US")} ${count === 1 ? "job" : "jobs"}`;

const DONE: Record<JobAction, string> = {
	cancel: "cancelled",
	hold: "held",
	move: "will move",
	release: "released",
	resume: "resumed",
	retry: "submitted again",
	set_priority: "changed",
	stay: "will stay",
};

/** "3 jobs cancelled, 1 had already ended", with the first reason why a job was skipped. */
export function summarizeResults(action: JobAction, results: readonly JobActionResult[]): Omit<ToastMessage, "action"> {
	const done = results.filter((r) => r.done);
	const skipped = results.filter((r) => !r.done);
	const ended = action === "cancel" ? skipped.filter((r) => r.problem?.code === "conflict").length : 0;
	const other = skipped.length - ended;
	const parts = [
		...(done.length > 0 || skipped.length === 0 ? [`${countJobs(done.length)} ${DONE[action]}`] : []),
		...(ended > 0 ? [done.length > 0 ? `${ended} had already ended` : `${countJobs(ended)} had already ended`] : []),
		...(other > 0 ? [done.length + ended > 0 ? `${other} skipped` : `${countJobs(other)} skipped`] : []),
	];
	const problem = skipped.find((r) => action !== "cancel" || r.problem?.code !== "conflict")?.problem;
	const stopping = done.filter((r) => r.ended === false).length;
	const detail = problem
		? [problem.message, problem.fix].filter((text) => text !== null).join(" ")
		: stopping > 0
			? `${countJobs(stopping)} can save a checkpoint before stopping.`
			: undefined;
	return { tone: other > 0 ? "failed" : "done", title: parts.join(", "), ...(detail && { detail }) };
}

const OPPOSITES: Partial<Record<JobAction, "release" | "hold" | "stay">> = { hold: "release", release: "hold", move: "stay" };

/** The calls that undo an action; none if it cannot be undone or changed nothing. */
export function undoOf(input: ActInput, results: readonly JobActionResult[]): ActInput[] {
	const ids = results.filter(({ done }) => done).map(({ id }) => id);
	if (input.action === "set_priority") return undoPriority(input.priority, results);
	const opposite = OPPOSITES[input.action];
	return opposite === undefined || ids.length === 0 ? [] : [{ action: opposite, ids }];
}

function undoPriority(now: number, results: readonly JobActionResult[]): ActInput[] {
	const changed = results.flatMap((r) =>
		r.priorityBefore === null || r.priorityBefore === now ? [] : [{ id: r.id, priority: r.priorityBefore }],
	);
	return [...Map.groupBy(changed, (r) => r.priority)].map(([priority, rows]) => ({
		action: "set_priority",
		ids: rows.map(({ id }) => id),
		priority,
	}));
}
