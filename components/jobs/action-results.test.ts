import { describe, expect, it } from "vitest";
import { type JobActionResult, summarizeResults, undoOf } from "./action-results.ts";

const done = (more: Partial<JobActionResult> = {}): JobActionResult => ({
	...{ id: "job_1", done: true, ended: null, newJobId: null, priorityBefore: null, problem: null },
	...more,
});
const refused = (code: NonNullable<JobActionResult["problem"]>["code"], message = "It is running.", fix: string | null = null) =>
	done({ done: false, problem: { code, message, fix } });

describe("summarizeResults", () => {
	it("counts jobs that had already ended apart from other skipped ones", () => {
		expect(summarizeResults("cancel", [done({ ended: true }), done({ ended: true }), done({ ended: true }), refused("conflict")])).toEqual({
			tone: "done",
			title: "3 jobs cancelled, 1 had already ended",
		});
		expect(summarizeResults("cancel", [refused("conflict"), refused("not_found", "There is no job job_1.")])).toEqual({
			tone: "failed",
			title: "1 job had already ended, 1 skipped",
			detail: "There is no job job_1.",
		});
	});
	it("mentions jobs that still have to stop", () =>
		expect(summarizeResults("cancel", [done({ ended: false })])).toEqual({
			tone: "done",
			title: "1 job cancelled",
			detail: "1 job can save a checkpoint before stopping.",
		}));
	it("gives the first reason and what to do", () =>
		expect(summarizeResults("set_priority", [done(), refused("conflict", "Job 2 is running.", "Wait.")])).toEqual({
			tone: "failed",
			title: "1 job changed, 1 skipped",
			detail: "Job 2 is running. Wait.",
		}));
});

describe("undoOf", () => {
	it("restores each earlier priority in one call", () =>
		expect(
			undoOf({ action: "set_priority", ids: [], priority: 80 }, [
				done({ id: "a", priorityBefore: 50 }),
				done({ id: "b", priorityBefore: 10 }),
				done({ id: "c", priorityBefore: 50 }),
				done({ id: "unchanged", priorityBefore: 80 }),
				refused("conflict"),
			]),
		).toEqual([
			{ action: "set_priority", ids: ["a", "c"], priority: 50 },
			{ action: "set_priority", ids: ["b"], priority: 10 },
		]));
	it("releases held jobs and vice versa; a cancel is final", () => {
		const results = [done({ id: "a" }), refused("conflict")];
		expect(undoOf({ action: "hold", ids: [] }, results)).toEqual([{ action: "release", ids: ["a"] }]);
		expect(undoOf({ action: "release", ids: [] }, results)).toEqual([{ action: "hold", ids: ["a"] }]);
		expect(undoOf({ action: "move", ids: [], to: "home" }, results)).toEqual([{ action: "stay", ids: ["a"] }]);
		expect(undoOf({ action: "hold", ids: [] }, [refused("conflict")])).toEqual([]);
		expect(undoOf({ action: "cancel", ids: [] }, results)).toEqual([]);
	});
});
