import { describe, expect, it } from "vitest";
import { ACTIONS, hrefOfKey, SCREENS, screenGroups, screenOfPath } from "./navigation.ts";

describe("navigation", () => {
	it("knows the screen of a path below it", () => {
		expect(screenOfPath("/")).toBe("overview");
		expect(screenOfPath("/jobs")).toBe("jobs");
		expect(screenOfPath("/jobs/job_01")).toBe("jobs");
		expect(screenOfPath("/sites")).toBe("capacity");
	});

	it("does not take a longer word for a screen", () => {
		expect(screenOfPath("/jobsearch")).toBeNull();
		expect(screenOfPath("/sign-in")).toBeNull();
	});

	it("gives every screen and action a letter of its own", () => {
		const keys = [...SCREENS, ...ACTIONS].map((each) => each.key);
		expect(new Set(keys).size).toBe(keys.length);
	});

	it("goes where the letter says", () => {
		expect(hrefOfKey("c")).toBe("/sites");
		expect(hrefOfKey("n")).toBe("/jobs/new");
		expect(hrefOfKey("z")).toBeNull();
	});

	it("shows every screen in exactly one group", () => {
		expect(screenGroups().flatMap((g) => g.screens)).toEqual(SCREENS);
	});
});
