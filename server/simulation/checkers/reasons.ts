import type { ReasonCode } from "#server/domain/reasons.ts";
import type { AttemptRecord, InstanceRecord, JobRecord } from "../records.ts";
import type { Checker } from "./checker.ts";

const FINAL_JOB = ["succeeded", "failed", "cancelled"];
const FINAL_ATTEMPT = ["succeeded", "failed", "interrupted", "evicted", "cancelled", "lost"];
/** The reasons a job may show while none of it runs: why it waits, or how its last attempt ended. */
const NOT_WAITING: readonly ReasonCode[] = ["placed_home", "placed_cloud", "started", "completed", "exit_nonzero", "killed_by_signal"];

/** Whatever ended has a time and a reason, and whatever waits says why. */
export function reasonsChecker(): Checker {
	return {
		name: "reasons",
		after: ({ world }) => {
			for (const { machine, id } of world.book.moves) {
				const broken =
					machine === "job"
						? ofJob(world.book.jobs.get(id))
						: machine === "attempt"
							? ofAttempt(world.book.attempts.get(id))
							: ofInstance(world.book.instances.get(id));
				if (broken) return broken;
			}
			for (const row of world.book.pending) {
				if (NOT_WAITING.includes(row.reason.code)) return `job ${row.id} is ${row.state} and its reason is ${row.reason.code}`;
			}
			return null;
		},
		atEnd: ({ world }) => {
			for (const row of world.book.jobs.values()) {
				const broken = ofJob(row);
				if (broken) return broken;
			}
			for (const row of world.book.attempts.values()) {
				const broken = ofAttempt(row);
				if (broken) return broken;
			}
			return null;
		},
	};
}

function ofJob(row: JobRecord | undefined): string | null {
	if (!row) return "a job moved that does not exist";
	const final = FINAL_JOB.includes(row.state);
	if (final !== (row.finishedAtMs !== null)) return `job ${row.id} is ${row.state}, and its end is ${row.finishedAtMs ?? "not set"}`;
	if (row.state === "succeeded" && row.reason.code !== "completed") return `job ${row.id} succeeded by ${row.reason.code}`;
	if (row.state === "cancelled" && row.cancelRequestedAtMs === null) return `job ${row.id} is cancelled, and no one asked for it`;
	return final && row.reason.code === "started" ? `job ${row.id} is ${row.state} without its own reason` : null;
}

function ofAttempt(row: AttemptRecord | undefined): string | null {
	if (!row) return "an attempt moved that does not exist";
	const final = FINAL_ATTEMPT.includes(row.state);
	if (final && (row.reason === null || row.finishedAtMs === null)) return `attempt ${row.id} is ${row.state} without a time or a reason`;
	return !final && row.finishedAtMs !== null ? `attempt ${row.id} is ${row.state} and has an end` : null;
}

function ofInstance(row: InstanceRecord | undefined): string | null {
	if (!row) return "an instance moved that does not exist";
	const over = row.state === "terminated";
	return over && (row.reason === null || row.terminatedAtMs === null)
		? `instance ${row.id} is terminated without a time or a reason`
		: null;
}
