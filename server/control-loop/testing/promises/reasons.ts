import type { ReasonCode } from "#server/domain/reasons.ts";
import type { Observed } from "./observed.ts";
import type { Promised } from "./promise.ts";

const FINAL_JOB = ["succeeded", "failed", "cancelled"];
const FINAL_ATTEMPT = ["succeeded", "failed", "interrupted", "evicted", "cancelled", "lost"];
/** Reasons that a waiting job must not show: it shows why it waits, or how its last attempt ended. */
const NOT_WAITING: readonly ReasonCode[] = ["placed_home", "placed_cloud", "started", "completed", "exit_nonzero", "killed_by_signal"];

/** Everything that ended has a time and a reason, and everything that waits shows why. */
export function reasons(): Promised {
	const after = ({ jobs, attempts, instances }: Observed): string | null => {
		const broken = [...jobs.map(ofJob), ...attempts.map(ofAttempt), ...instances.map(ofInstance)];
		return broken.find((message) => message !== null) ?? null;
	};
	return { name: "reasons", after, atEnd: after };
}

function ofJob({ id, state, reason, finishedAt, cancelRequestedAt }: Observed["jobs"][number]): string | null {
	const isFinal = FINAL_JOB.includes(state);
	if (isFinal !== (finishedAt !== null)) return `job ${id} is ${state}, and its end is ${finishedAt?.toISOString() ?? "not set"}`;
	if (state === "succeeded" && reason.code !== "completed") return `job ${id} succeeded by ${reason.code}`;
	if (state === "cancelled" && cancelRequestedAt === null) return `job ${id} is cancelled, and no one requested it`;
	if ((state === "held" || state === "queued") && NOT_WAITING.includes(reason.code))
		return `job ${id} is ${state} and its reason is ${reason.code}`;
	return isFinal && reason.code === "started" ? `job ${id} is ${state} without its own reason` : null;
}

function ofAttempt({ id, state, reason, finishedAt }: Observed["attempts"][number]): string | null {
	const isFinal = FINAL_ATTEMPT.includes(state);
	if (isFinal && (reason === null || finishedAt === null)) return `attempt ${id} is ${state} without a time or a reason`;
	return !isFinal && finishedAt !== null ? `attempt ${id} is ${state} and has an end` : null;
}

function ofInstance({ id, state, reason, terminatedAt }: Observed["instances"][number]): string | null {
	const isOver = state === "terminated";
	return isOver && (reason === null || terminatedAt === null) ? `instance ${id} is terminated without a time or a reason` : null;
}
