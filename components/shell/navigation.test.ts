import { describe, expect, it } from "vitest";
import { permissionsOf } from "#server/domain/custom-role.ts";
import { ROLES, type Role } from "#server/domain/vocabulary.ts";
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

	const hidden = (person: Parameters<typeof permissionsOf>[0]) =>
		SCREENS.filter((screen) => !screensFor(permissionsOf(person)).includes(screen)).map(({ id }) => id);

	it("shows each role the items it can use", () => {
		expect(hidden({ role: "data_scientist" })).toEqual(["plan", "audit"]);
		expect(hidden({ role: "finance" })).toEqual([]);
		expect(hidden({ role: "platform" })).toEqual([]);
		const actions = (role: Role) => actionsFor(permissionsOf({ role }));
		expect([actions("finance"), actions("data_scientist")]).toEqual([[], ACTIONS]);
	});

	it("hides what a custom role does not contain, on the phone bar too", () => {
		const auditor = { role: "platform" as const, customRole: { name: "auditor", permissions: ["spend:read", "statement:read"] as const } };
		expect(screensFor(permissionsOf(auditor)).map(({ id }) => id)).toEqual([
			"overview",
			"approvals",
			"spend",
			"carbon",
			"statements",
			"settings",
		]);
		expect(actionsFor(permissionsOf(auditor))).toEqual([]);
	});

	it("lists every screen in exactly one group", () => {
		for (const role of ROLES) {
			const permissions = permissionsOf({ role });
			expect(screenGroups(permissions).flatMap((g) => g.screens)).toEqual(screensFor(permissions));
		}
	});
});
