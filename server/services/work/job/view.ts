import type { job } from "#server/db/schema/job.ts";
import type { Placement } from "#server/domain/capacity.ts";
import type { TimeRange } from "#server/domain/decision.ts";
import type { JobState } from "#server/domain/states.ts";
import type { WorkloadClass } from "#server/domain/vocabulary.ts";
import { iso, type ReasonView, reasonView } from "#server/services/core/view.ts";
import type { Expected } from "./expected.ts";

/** A job in lists. Times are ISO 8601 in UTC, money decimal strings of micro-dollars. */
export interface JobView {
	id: string;
	name: string;
	team: string;
	project: string;
	class: WorkloadClass;
	state: JobState;
	reason: ReasonView;
	priority: number;
	gpus: number;
	placement: Placement | null;
	/** Number of attempts made. */
	attempts: number;
	submittedAt: string;
	pendingSince: string;
	startedAt: string | null;
	finishedAt: string | null;
	deadlineAt: string | null;
	cancelRequestedAt: string | null;
	/** Forecast start at home while it waits. */
	forecast: TimeRange | null;
	/** The submitter's run time estimate, and the part that is done and checkpointed. */
	estimateMs: number | null;
	completedMs: number;
	/** Only for a job with a live attempt. */
	expected: Expected | null;
	costMicroUsd: string;
	emissionsGrams: number;
	/** Whether the simulator created it for the demo. */
	synthetic: boolean;
}

/** The columns that a list needs; spec is used only for its estimate. */
export type JobRow = typeof job.$inferSelect;

export function jobView(row: JobRow, expected: Expected | null = null): JobView {
	return {
		id: row.id,
		name: row.name,
		team: row.team,
		project: row.project,
		class: row.class,
		state: row.state,
		reason: reasonView(row.reason),
		priority: row.priority,
		gpus: row.gpus,
		placement: row.placement,
		attempts: row.attempts,
		submittedAt: row.submittedAt.toISOString(),
		pendingSince: row.pendingSince.toISOString(),
		startedAt: iso(row.startedAt),
		finishedAt: iso(row.finishedAt),
		deadlineAt: iso(row.deadlineAt),
		cancelRequestedAt: iso(row.cancelRequestedAt),
		forecast: row.forecast,
		estimateMs: row.spec.duration.estimateMs,
		completedMs: Number(row.completedMs),
		expected,
		costMicroUsd: row.costMicroUsd.toString(),
		emissionsGrams: Number(row.emissionsMilligrams) / 1_000,
		synthetic: row.synthetic,
	};
}
