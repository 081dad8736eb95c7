import { describe, expect, it } from "vitest";
import { checkJobStatus } from "./job-status.ts";
import type { JobObject } from "./objects.ts";

const AT = "2026-11-22T10:00:00Z";
const job = (status: object, suspend = true): JobObject =>
	({ metadata: { name: "thesis" }, spec: { suspend }, status }) as unknown as JobObject;
const conditions = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: "True" })) });
const complete = { ...conditions("SuccessCriteriaMet", "Complete"), startTime: AT, completionTime: AT };

describe("a Job's status, as servers from 1.31 on validate it", () => {
	it("accepts an announced end with its times", () => {
		expect(() => checkJobStatus(job({}), job(complete))).not.toThrow();
		expect(() => checkJobStatus(job({}), job({ ...conditions("FailureTarget", "Failed"), startTime: AT }))).not.toThrow();
		expect(() => checkJobStatus(job(complete), job(complete))).not.toThrow();
	});

	it.each([
		["without the SuccessCriteriaMet=true condition", {}, { ...complete, ...conditions("Complete") }],
		["without the FailureTarget=true condition", {}, { ...conditions("Failed"), startTime: AT }],
		["startTime is required", {}, { ...complete, startTime: undefined }],
		["completionTime is required", {}, { ...complete, completionTime: undefined }],
		["equal to or after `startTime`", {}, { ...complete, completionTime: "2026-11-22T09:59:59Z" }],
		["no Complete=True condition", {}, { ...conditions("FailureTarget", "Failed"), startTime: AT, completionTime: AT }],
		["active>0", { active: 1 }, { ...complete, active: 1 }],
		["terminating>0", {}, { ...complete, terminating: 1 }],
		["cannot disable the Complete=True condition", complete, { ...complete, ...conditions("SuccessCriteriaMet") }],
		["field is immutable", complete, { ...complete, completionTime: "2026-11-22T11:00:00Z" }],
		["cannot decrease the failed counter", { failed: 2 }, { failed: 1 }],
	])("rejects: %s", (words, before, after) => {
		expect(() => checkJobStatus(job(before), job(after))).toThrow(words);
	});

	it("rejects another start for a Job that is not suspended", () => {
		const other = { startTime: "2026-11-22T11:00:00Z" };
		expect(() => checkJobStatus(job({ startTime: AT }, false), job(other, false))).toThrow("once set");
		expect(() => checkJobStatus(job({ startTime: AT }), job(other))).not.toThrow();
	});
});
