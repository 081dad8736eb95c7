import { describe, expect, it } from "vitest";
import { Absences } from "./absences.ts";

describe("what responses omit", () => {
	it("no longer exists after three responses over the required time, and not before either", () => {
		const absences = new Absences();
		const leftOut = (nowMs: number) => absences.leftOut("a", { nowMs, forMs: 100 });
		expect([0, 10, 20, 99, 100].map(leftOut)).toEqual([false, false, false, false, true]);
		const seldom = new Absences();
		expect([0, 500, 1_000].map((nowMs) => seldom.leftOut("a", { nowMs, forMs: 100 }))).toEqual([false, false, true]);
	});

	it("starts again when a response contains it, and is forgotten when no longer tracked", () => {
		const absences = new Absences();
		const leftOut = (id: string, nowMs: number) => absences.leftOut(id, { nowMs, forMs: 0 });
		expect([leftOut("a", 0), leftOut("a", 1)]).toEqual([false, false]);
		absences.clear("a");
		expect([leftOut("a", 2), leftOut("b", 2), leftOut("b", 3)]).toEqual([false, false, false]);
		absences.keepOnly(new Set(["a"]));
		expect([leftOut("a", 4), leftOut("b", 4), leftOut("a", 5)]).toEqual([false, false, true]);
	});

	it("counts from the recorded time of the first omission", () => {
		const absences = new Absences();
		const leftOut = () => absences.leftOut("a", { nowMs: 1_000, forMs: 100, sinceMs: 900 });
		expect([leftOut(), leftOut(), leftOut()]).toEqual([false, false, true]);
	});
});
