import { describe, expect, it } from "vitest";
import type { JobSearch } from "./search-params.ts";
import { groupsOf, isFiltered, weekStartMs, wholeView } from "./views.ts";

const search = (some: Partial<JobSearch> = {}): JobSearch => ({
	view: "active",
	state: [],
	team: [],
	class: [],
	site: null,
	q: "",
	sort: null,
	hide: [],
	saved: null,
	...some,
});
const TODAY = Date.UTC(2026, 10, 21);

describe("groupsOf", () => {
	it("lists running, then queued, then ended today", () => {
		const groups = groupsOf(search(), TODAY);
		expect(groups.map((g) => [g.id, g.input.state, g.input.endedSinceMs])).toEqual([
			["running", ["running"], undefined],
			["waiting", ["admitted", "held", "queued"], undefined],
			["ended", ["succeeded", "failed", "cancelled"], TODAY],
		]);
	});

	it("omits groups that the state filter excludes", () => {
		expect(groupsOf(search({ state: ["held", "failed"] }), TODAY).map((g) => [g.id, g.input.state])).toEqual([
			["waiting", ["held"]],
			["ended", ["failed"]],
		]);
		expect(groupsOf(search({ view: "failed", state: ["running"] }), TODAY)).toEqual([]);
	});

	it("applies the other filters to every group", () => {
		for (const group of groupsOf(search({ team: ["risk"], class: ["burst"], site: "aws", q: "fraud" }), TODAY)) {
			expect(group.input).toMatchObject({ team: ["risk"], class: ["burst"], site: "aws", q: "fraud" });
		}
	});

	it("leaves out waiting and ended trials of sweeps, except in All and in a search", () => {
		const trials = (some: Partial<JobSearch>) => new Set(groupsOf(search(some), TODAY).map((g) => g.input.trials));
		expect([{}, { view: "failed" as const }, { view: "all" as const }, { q: "rates" }].map((some) => [...trials(some)])).toEqual([
			["live"],
			["live"],
			[undefined],
			[undefined],
		]);
	});

	it("queries all states, or the selected ones", () => {
		expect(groupsOf(search({ view: "all" }), TODAY)[0]?.input.state).toBeUndefined();
		expect(groupsOf(search({ view: "all", state: ["lost" as never, "held"] }), TODAY)[0]?.input.state).toEqual(["lost", "held"]);
	});

	it("limits the cloud view to clouds, or to the selected one", () => {
		expect(groupsOf(search({ view: "cloud" }), TODAY).map((g) => g.input.site)).toEqual(["cloud", "cloud"]);
		expect(groupsOf(search({ view: "cloud", site: "aws" }), TODAY).map((g) => g.input.site)).toEqual(["aws", "aws"]);
	});
});

describe("weekStartMs", () => {
	it.each([
		["2026-11-21T04:00:00Z", "2026-11-16T00:00:00Z"],
		["2026-11-16T00:00:00Z", "2026-11-16T00:00:00Z"],
		["2026-11-15T23:59:59Z", "2026-11-09T00:00:00Z"],
	])("of %s is Monday %s", (now, monday) => expect(weekStartMs(Date.parse(now))).toBe(Date.parse(monday)));
});

describe("isFiltered", () => {
	it("ignores view, order and columns", () => {
		expect(isFiltered(search({ view: "all", sort: "cost.desc", hide: ["team"] }))).toBe(false);
		expect(isFiltered(search({ site: "aws" }))).toBe(true);
	});
});

describe("wholeView", () => {
	it("is the query of everything that a view lists", () => {
		expect(wholeView(search({ q: "esm" }), TODAY)).toEqual({ endedSinceMs: TODAY, q: "esm" });
		expect(wholeView(search({ view: "failed" }), TODAY)).toEqual({ state: ["failed"], endedSinceMs: weekStartMs(TODAY), trials: "live" });
		expect(wholeView(search({ view: "all", state: ["queued"], team: ["risk"] }), TODAY)).toEqual({ state: ["queued"], team: ["risk"] });
	});
});
