import { describe, expect, it } from "vitest";
import { ACTIONS, actionsFor, hrefOfKey, SCREENS, screenGroups, screenOfPath, screensFor } from "./navigation.ts";

describe("navigation", () => {
	it("matches a path below a screen", () => {
		expect(screenOfPath("/")).toBe("overview");
		expect(screenOfPath("/jobs")).toBe("jobs");
		expect(screenOfPath("/jobs/job_01")).toBe("jobs");
		expect(screenOfPath("/sites")).toBe("capacity");
	});

	it("does not match a screen name as a prefix of a longer word", () => {
		expect(screenOfPath("/jobsearch")).toBeNull();
		expect(screenOfPath("/sign-in")).toBeNull();
	});

	it("assigns a unique letter to every screen and action", () => {
		const keys = [...SCREENS, ...ACTIONS].map((each) => each.key);
		expect(new Set(keys).size).toBe(keys.length);
	});

	it("follows the letters", () => {
		expect(hrefOfKey("c")).toBe("/sites");
		expect(hrefOfKey("n")).toBe("/jobs/new");
		expect(hrefOfKey("z")).toBeNull();
	});

	it("shows each role the items it can use", () => {
		const hidden = (role: string) => SCREENS.filter((screen) => !screensFor(role).includes(screen)).map(({ id }) => id);
		expect(hidden("Data scientist")).toEqual(["plan", "audit"]);
		expect(hidden("Finance")).toEqual([]);
		expect(hidden("Platform engineer")).toEqual([]);
		expect(actionsFor("Finance")).toEqual([]);
		expect(actionsFor("Data scientist")).toEqual(ACTIONS);
	});

	it("lists every screen in exactly one group", () => {
		expect(screenGroups().flatMap((g) => g.screens)).toEqual(SCREENS);
	});
});
