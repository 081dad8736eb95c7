import { describe, expect, it } from "vitest";
import { asKept, draftToOpen } from "./draft-store.ts";
import { quickFixes } from "./quick-fixes.ts";
import { fieldsOf, valueAt } from "./rule-fields.ts";

const ACTIVE = { version: 4, source: "active" };
const SAVED = { source: "server", baseVersion: 3, updatedAt: "2026-11-01T10:00:00.000Z" };
const savedAtMs = Date.parse(SAVED.updatedAt);

describe("draftToOpen", () => {
	it("opens the newer of browser and server draft with its base version", () => {
		const kept = { source: "browser", baseVersion: 2, atMs: savedAtMs + 1 };
		expect(draftToOpen(kept, SAVED, ACTIVE)).toEqual({ source: "browser", baseVersion: 2, from: "browser" });
		expect(draftToOpen({ ...kept, atMs: savedAtMs - 1 }, SAVED, ACTIVE)).toEqual({ source: "server", baseVersion: 3, from: "server" });
		expect(draftToOpen(kept, null, ACTIVE).from).toBe("browser");
	});

	it("opens the active version if there is no other text", () => {
		expect(draftToOpen(null, null, ACTIVE)).toEqual({ source: "active", baseVersion: 4, from: "published" });
		expect(draftToOpen({ source: "active", baseVersion: 1, atMs: 9e15 }, null, ACTIVE)).toMatchObject({
			baseVersion: 4,
			from: "published",
		});
	});

	it("ignores anything that is not a draft", () => {
		for (const value of [null, 1, "x", {}, { source: 1, baseVersion: 1, atMs: 1 }, { source: "x" }]) expect(asKept(value)).toBeNull();
	});
});

describe("quickFixes", () => {
	const problem = (fix: string, column: number) => ({ severity: "error" as const, line: 1, column, message: "", fix });
	it("offers duration units and the likely name", () => {
		expect(quickFixes(problem("Write 30s, 30m or 30h.", 9), "  after: 30 # x").map((f) => [f.label, f.from, f.to])).toEqual([]);
		expect(quickFixes(problem("Write 30s, 30m or 30h.", 10), "  after: 30 # x").map((f) => [f.label, f.from, f.to])).toEqual([
			["Use 30s", 9, 11],
			["Use 30m", 9, 11],
			["Use 30h", 9, 11],
		]);
		expect(quickFixes(problem("Did you mean burst?", 3), "  brust: {}")).toEqual([{ label: "Use burst", insert: "burst", from: 2, to: 7 }]);
		expect(quickFixes(problem("Did you mean sensitive?", 15), 'when: x ==    "sensitve"')).toEqual([
			{ label: "Use sensitive", insert: '"sensitive"', from: 14, to: 24 },
		]);
		expect(quickFixes(problem("Use one of: a, b.", 3), "  x: 1")).toEqual([]);
	});
});

describe("fieldsOf", () => {
	it("finds each value of a rule at its path", () => {
		const value = {
			id: "b",
			when: "job.critical",
			burst: { after: { forecastWait: "30m" }, or: { waited: "1h" }, only: { costAtMostUsd: 5 } },
		};
		const found = fieldsOf("rules", value).map((f) => [f.path.join("."), valueAt(value, f.path)]);
		expect(found.filter(([, v]) => v !== undefined)).toEqual([
			["id", "b"],
			["when", "job.critical"],
			["burst.after.forecastWait", "30m"],
			["burst.or.waited", "1h"],
			["burst.only.costAtMostUsd", 5],
		]);
		expect(fieldsOf("rules", { burst: { or: {} } }).map((f) => f.path.join("."))).toContain("burst.after.waited");
	});

	it("shows the only cap of a budget", () => {
		expect(fieldsOf("budgets", { id: "m", instances: 3 }).map((f) => f.path[0])).toEqual(["id", "scope", "instances"]);
		expect(fieldsOf("budgets", { id: "m", capUsd: 3 }).map((f) => f.path[0])).toEqual(["id", "scope", "capUsd", "period", "atCap"]);
	});
});
