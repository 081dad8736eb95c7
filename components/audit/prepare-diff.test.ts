import { describe, expect, it } from "vitest";
import { DIFF_LINES_MAX, prepareDiff } from "./prepare-diff.ts";
import { auditFileHref, auditQuery, isFiltered } from "./search-params.ts";

describe("before and after of a line", () => {
	it("says of each value whether it came, went, changed or stayed", () => {
		const { lines } = prepareDiff({ cap: "5", note: "x", who: { a: 1, b: [1, 2] } }, { cap: "7", who: { a: 1, b: [1] }, at: null });
		expect(lines.map((l) => [l.path, l.kind, l.before, l.after])).toEqual([
			["cap", "changed", "5", "7"],
			["who.a", "same", "1", "1"],
			["who.b.0", "same", "1", "1"],
			["at", "added", null, "none"],
			["note", "removed", "x", null],
			["who.b.1", "removed", "2", null],
		]);
	});
	it("has nothing to show of nothing, and one value of one", () => {
		expect(prepareDiff(null, undefined).lines).toEqual([]);
		expect(prepareDiff(null, true).lines).toEqual([{ path: "value", kind: "added", before: null, after: "true" }]);
	});
	it("keeps to what can be read, and says how much it left out", () => {
		const { lines, leftOut } = prepareDiff(null, Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`k${i}`, i])));
		expect([lines.length, leftOut]).toEqual([DIFF_LINES_MAX, 50]);
	});
});

describe("the view of the audit in the address", () => {
	const none = { actor: "", action: "", subject: "", from: "", to: "", q: "" };
	it("asks for whole days of UTC, and leaves out what is no day", () => {
		expect(auditQuery({ ...none, from: "2026-11-01", to: "2026-11-01" })).toEqual({
			fromMs: Date.UTC(2026, 10, 1),
			toMs: Date.UTC(2026, 10, 2),
			limit: 50,
		});
		expect(isFiltered({ ...none, from: "2026-1" })).toBe(false);
	});
	it("downloads what is shown", () => {
		expect(auditFileHref({ ...none, q: "a&b", to: "2026-11-01" }, "ndjson")).toBe(
			"/api/exports/audit?format=ndjson&q=a%26b&to=2026-11-02T00%3A00%3A00.000Z",
		);
	});
});
