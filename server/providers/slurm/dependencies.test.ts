import { describe, expect, it } from "vitest";
import { afterSuccessesElsewhere, afterSuccessOf, dependsOnFailureOf } from "./dependencies.ts";
import type { SlurmJob } from "./mapper.ts";

const RAN = "[ran in the cloud as job_1: exit code 0]";
const job = (id: number, state: string, { comment = "", array = null as SlurmJob["array"] } = {}) =>
	({ id, state, comment, array }) as SlurmJob;
/** Array 5 with tasks 1 to 4; the last ran in the cloud. */
const task = (id: number, tasks: string, state: string, comment = "") => job(id, state, { comment, array: { id: 5, task: tasks } });
const gone = task(8, "4", "CANCELLED", RAN);

describe("a job's dependencies", () => {
	it.each([
		["afterok:12(unfulfilled)", ""],
		["afterok:12(unfulfilled),afterany:13_4(unfulfilled)", "afterany:13_4"],
		["afterok:12(unfulfilled)?afterok:14(unfulfilled)", ""],
		["afterok:12+5(unfulfilled),singleton(unfulfilled)", "singleton"],
		["afterok:123(unfulfilled)", null],
		["afternotok:12(unfulfilled)", null],
	])("after the success of job 12 elsewhere: %s becomes %j", (before, after) => {
		expect(afterSuccessOf(12, before)).toBe(after);
	});

	it("detects jobs that wait for a failure", () => {
		expect(dependsOnFailureOf(12, "afterok:1(unfulfilled),afternotok:12(unfulfilled)")).toBe(true);
		expect(dependsOnFailureOf(12, "afternotok:123(unfulfilled)")).toBe(false);
	});
});

describe("dependencies of a job submitted after the other one had run in the cloud", () => {
	const alone = job(1, "CANCELLED", { comment: `spillway ${RAN}` });

	it.each([
		["afterok:1(failed)", [alone], ""],
		["afterok:1(failed),singleton(unfulfilled)", [alone], "singleton"],
		["afterok:2(unfulfilled)?afterok:1(failed)", [alone], ""],
		["afternotok:1(unfulfilled)", [alone], null],
		["afterok:11(failed)", [alone, job(11, "CANCELLED")], null],
		["afterok:1(failed)", [job(1, "CANCELLED", { comment: "[ran in the cloud as job_1: exit code 3]" })], null],
		["afterok:1(failed)", [job(1, "FAILED", { comment: RAN })], null],
		["afterok:5_4(failed)", [gone], ""],
		["afterok:5_3(failed)", [gone, task(7, "3", "CANCELLED")], null],
		["afterok:5_*(unfulfilled)", [task(5, "1-2", "PENDING"), task(7, "3", "RUNNING"), gone], "afterok:5_1:5_2:5_3"],
		["afterok:5_*(failed)", [task(5, "1", "COMPLETED"), gone], ""],
		["afterok:5_*(unfulfilled)", [task(5, "1", "FAILED"), gone], null],
		["afterok:5_*(unfulfilled)", [task(5, "1-4", "PENDING")], null],
	])("%s with %j becomes %j", (before, jobs, after) => {
		expect(afterSuccessesElsewhere(before, jobs)).toBe(after);
	});
});
