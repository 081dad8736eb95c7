/**
 * Spillway's mark on a held job of others, at the end of the job's comment: the holder, and the job's previous priority. It shows
 * in the queue why the job is held.
 */
const MARK = / ?\[held by Spillway: ([A-Za-z0-9_-]{1,64}) (\d+)\]$/;

interface HoldMark {
	mark: string;
	priority: number;
	/** The comment as its owner wrote it. */
	comment: string;
}

export function withMark(comment: string, mark: string, priority: number): string {
	return `${withoutMark(comment)}${withoutMark(comment) === "" ? "" : " "}[held by Spillway: ${mark} ${priority}]`;
}

export function withoutMark(comment: string): string {
	return comment.replace(MARK, "");
}

export function markOf(comment: string): HoldMark | null {
	const [, mark, priority] = MARK.exec(comment) ?? [];
	return mark === undefined ? null : { mark, priority: Number(priority), comment: withoutMark(comment) };
}

/** The comment that `finish` leaves on a cancelled job that succeeded in the cloud. */
const SUCCEEDED_ELSEWHERE = /\[ran in the cloud as job_\w+: exit code 0\]$/;

export function succeededElsewhere({ state, comment }: { state: string; comment: string }): boolean {
	return state === "CANCELLED" && SUCCEEDED_ELSEWHERE.test(comment);
}
