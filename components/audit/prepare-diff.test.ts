import { describe, expect, it } from "vitest";
import { DIFF_LINES_MAX, prepareDiff } from "./prepare-diff.ts";
import { auditFileHref, auditQuery, isFiltered } from "./search-params.ts";

describe("audit entry diff", () => {
	it("classifies each value as added, removed, changed or unchanged", () => {
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
	it("handles no values and single values", () => {
		expect(prepareDiff(null, undefined).lines).toEqual([]);
		expect(prepareDiff(null, true).lines).toEqual([{ path: "value", kind: "added", before: null, after: "true" }]);
	});
	it("limits the rows and reports how many are hidden", () => {
		const { lines, leftOut } = prepareDiff(null, Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`k${i}`, i])));
		expect([lines.length, leftOut]).toEqual([DIFF_LINES_MAX, 50]);
	});
});

describe("audit view in the URL", () => {
	const none = { actor: "", action: "", subject: "", from: "", to: "", q: "" };
	it("filters by whole UTC days and ignores invalid days", () => {
		expect(auditQuery({ ...none, from: "2026-11-01", to: "2026-11-01" })).toEqual({
			fromMs: Date.UTC(2026, 10, 1),
			toMs: Date.UTC(2026, 10, 2),
			limit: 50,
		});
		expect(isFiltered({ ...none, from: "2026-1" })).toBe(false);
	});
	it("downloads the filtered entries", () => {
		expect(auditFileHref({ ...none, q: "a&b", to: "2026-11-01" }, "ndjson")).toBe(
			"/api/exports/audit?format=ndjson&q=a%26b&to=2026-11-02T00%3A00%3A00.000Z",
		);
	});
});
