import { describe, expect, it } from "vitest";
import { flatten, moveFocus, nextSort, rangeSelected, toggled } from "./model.ts";

const ids = ["a", "b", "c", "d"];

describe("flatten", () => {
	it("puts each group before its rows and counts rows only", () => {
		const items = flatten(
			[
				{ id: "r", label: "Running", rows: [{ id: "a" }, { id: "b" }] },
				{ id: "q", label: "Queued", rows: [{ id: "c" }] },
			],
			(row) => row.id,
		);
		expect(items.map((i) => i.id)).toEqual(["group:r", "a", "b", "group:q", "c"]);
		expect(items.flatMap((i) => (i.kind === "row" ? [i.rowIndex] : []))).toEqual([0, 1, 2]);
	});
	it("omits the header of an unlabeled group", () =>
		expect(flatten([{ id: "all", label: "", rows: [{ id: "a" }] }], (row) => row.id).map((i) => i.kind)).toEqual(["row"]));
});

describe("moveFocus", () => {
	it.each([
		["ArrowDown", "b", "c"],
		["ArrowUp", "b", "a"],
		["ArrowUp", "a", "a"],
		["ArrowDown", "d", "d"],
		["j", "b", "c"],
		["k", "b", "a"],
		["Home", "c", "a"],
		["End", "a", "d"],
		["PageDown", "a", "d"],
	])("%s from %s moves to %s", (key, from, to) => expect(moveFocus(key, ids, from)).toBe(to));
	it("enters at the first row", () => expect(moveFocus("ArrowDown", ids, null)).toBe("a"));
	it("ignores other keys and empty lists", () => {
		expect(moveFocus("x", ids, "a")).toBeNull();
		expect(moveFocus("ArrowDown", [], null)).toBeNull();
	});
});

describe("selection", () => {
	it("toggles without mutating the old set", () => {
		const before = new Set(["a"]);
		expect([...toggled(before, "b")]).toEqual(["a", "b"]);
		expect([...toggled(before, "a")]).toEqual([]);
		expect([...before]).toEqual(["a"]);
	});
	it("adds a range in either direction", () => {
		expect([...rangeSelected(new Set(), ids, "b", "d")]).toEqual(["b", "c", "d"]);
		expect([...rangeSelected(new Set(["d"]), ids, "b", "a")].sort()).toEqual(["a", "b", "d"]);
	});
	it("falls back to the row itself if the anchor was removed", () =>
		expect([...rangeSelected(new Set(), ids, "gone", "c")]).toEqual(["c"]));
});

describe("nextSort", () => {
	const cost = { id: "cost", sort: "descending" as const };
	it("cycles through default direction, reverse and none", () => {
		const first = nextSort(null, cost);
		expect(first).toEqual({ columnId: "cost", direction: "descending" });
		const second = nextSort(first, cost);
		expect(second).toEqual({ columnId: "cost", direction: "ascending" });
		expect(nextSort(second, cost)).toBeNull();
	});
	it("restarts on another column", () =>
		expect(nextSort({ columnId: "name", direction: "descending" }, cost)).toEqual({ columnId: "cost", direction: "descending" }));
});
