import { describe, expect, it } from "vitest";
import { currentView, hrefOfView, isChanged, queryOf, type SavedView, viewTabs } from "./saved-views.ts";
import type { JobSearch } from "./search-params.ts";

const search = (more: Partial<JobSearch> = {}): JobSearch => ({
	...{ view: "active", state: [], team: [], class: [], site: null, q: "", sort: null, hide: [], saved: null },
	...more,
});
const view = (more: Partial<SavedView> = {}): SavedView => ({
	...{ id: "view_1", name: "Failed", query: "view=failed&team=research", team: null, owner: "Sam", isMine: true },
	...more,
});

describe("a saved view", () => {
	it("stores the address without its own id, and is the current one while the address has it", () => {
		const at = search({ view: "failed", team: ["research"], saved: "view_1" });
		expect(queryOf(at)).toBe("view=failed&team=research");
		expect(hrefOfView(view())).toBe("/jobs?view=failed&team=research&saved=view_1");
		expect(hrefOfView(view({ query: "" }))).toBe("/jobs?saved=view_1");
		expect(currentView(at, [view()])).toEqual(view());
		expect(currentView(search({ saved: "view_of_others" }), [view()])).toBeNull();
	});
	it("is changed by other filters, not by another order of parameters", () => {
		const at = search({ view: "failed", team: ["research"], saved: "view_1" });
		expect(isChanged(at, view({ query: "team=research&view=failed" }))).toBe(false);
		expect(isChanged({ ...at, sort: "cost.desc" }, view())).toBe(true);
	});
	it("is a tab after the built-in views; those of others name their owner", () =>
		expect(
			viewTabs([view(), view({ id: "view_2", isMine: false })])
				.slice(-2)
				.map(({ label }) => label),
		).toEqual(["Failed", "Failed (Sam)"]));
});
