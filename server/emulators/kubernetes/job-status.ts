import { ApiError } from "./api-error.ts";
import type { JobObject } from "./objects.ts";

type Status = JobObject["status"];

/**
 * Rejects what a server from 1.31 on rejects in a Job's status: pkg/apis/batch/validation/validation.go of Kubernetes,
 * `validateJobStatus` and `ValidateJobStatusUpdate`, without what concerns indexes and uncounted pods.
 * @throws ApiError Invalid
 */
export function checkJobStatus(before: JobObject, after: JobObject): void {
	const [was, is] = [before.status, after.status];
	const [complete, failed] = [has(is, "Complete"), has(is, "Failed")];
	const finished = complete || failed;
	const finishes = finished && !has(was, "Complete") && !has(was, "Failed");
	const wrong: [boolean, string][] = [
		[complete && failed, "conditions: Invalid value: cannot set Complete=True and Failed=true conditions"],
		[
			failed && !has(was, "Failed") && !has(is, "FailureTarget"),
			"conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition",
		],
		[
			complete && !has(was, "Complete") && !has(is, "SuccessCriteriaMet"),
			"conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
		],
		[
			has(is, "SuccessCriteriaMet") && (failed || has(is, "FailureTarget")),
			"conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
		],
		...["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"].map((type): [boolean, string] => [
			has(was, type) && !has(is, type),
			`conditions: Invalid value: cannot disable the ${type}=True condition`,
		]),
		[
			Boolean(is.completionTime) && !complete,
			"completionTime: Invalid value: cannot set completionTime when there is no Complete=True condition",
		],
		[complete && !is.completionTime, "completionTime: Required value: completionTime is required for Complete jobs"],
		[
			Boolean(was.completionTime) && Boolean(is.completionTime) && ms(was.completionTime) !== ms(is.completionTime),
			"completionTime: Invalid value: field is immutable",
		],
		[
			Boolean(is.startTime) && ms(is.completionTime) < ms(is.startTime),
			"completionTime: Invalid value: must be equal to or after `startTime`",
		],
		[finishes && !is.startTime, "startTime: Required value: startTime is required for finished job"],
		[
			Boolean(was.startTime) && ms(was.startTime) !== ms(is.startTime) && !after.spec.suspend,
			"startTime: Invalid value: field is immutable for unsuspended job once set",
		],
		[finished && (is.active ?? 0) > 0, "active: Invalid value: active>0 is invalid for finished job"],
		[finished && (is.terminating ?? 0) > 0, "terminating: Invalid value: terminating>0 is invalid for finished job"],
		[(is.failed ?? 0) < (was.failed ?? 0), "failed: Invalid value: cannot decrease the failed counter"],
		[(is.succeeded ?? 0) < (was.succeeded ?? 0), "succeeded: Invalid value: cannot decrease the succeeded counter"],
	];
	const [first] = wrong.filter(([isWrong]) => isWrong);
	if (first) throw new ApiError(422, "Invalid", `Job.batch "${before.metadata.name}" is invalid: status.${first[1]}`);
}

function has(status: Status, type: string): boolean {
	return status.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}

/** A missing time counts as later than all others. */
function ms(instant: Date | string | undefined): number {
	return instant ? new Date(instant).getTime() : Number.POSITIVE_INFINITY;
}
