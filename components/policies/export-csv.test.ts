import { describe, expect, it } from "vitest";
import { readCsv } from "#components/csv/read-csv.testing.ts";
import { rulesCsv, versionsCsv } from "./export-csv.ts";
import type { VersionView } from "./params.ts";
import { prepareRules } from "./rules.ts";

describe("Policies exports", () => {
	it("exports each rule with its lines; defaults have none", () => {
		const source = "spec:\n  rules:\n    - id: ask-first\n      when: quote.costUsd > 2000.0\n      require: { approval: platform }\n";
		const parts = [{ text: "the quote costs more than " }, { text: "$2,000", value: true }];
		const sentences = [
			{ id: "ask-first", group: "ask", sentence: parts, line: 3 },
			{ id: "weights", group: "prefer", sentence: [{ text: "what costs least" }], line: null },
		];
		const lines = readCsv(rulesCsv(7, prepareRules({ source, sentences } as unknown as Parameters<typeof prepareRules>[0])));
		expect(lines.map((l) => Object.values(l))).toEqual([
			["7", "Require approval when", "ask-first", "the quote costs more than $2,000", "3", "5"],
			["7", "Rank eligible candidates", "weights", "what costs least", "", ""],
		]);
	});

	it("exports each version with its last activation and commit", () => {
		const written = { message: "Spot first", authorName: "Ada", createdAt: "2026-11-01T08:00:00.000Z" };
		const publish = {
			kind: "publish",
			at: "2026-11-01T09:00:00.000Z",
			byName: "Ada",
			approvedByName: null,
			backtestId: null,
			noBacktestReason: "urgent",
		};
		const rollback = {
			kind: "rollback",
			at: "2026-11-09T09:00:00.000Z",
			byName: "Bo",
			approvedByName: "Cy",
			backtestId: "bt_1",
			noBacktestReason: null,
		};
		const origin = { kind: "git", repository: "git@acme/policies", path: "default.yaml", commit: "0123456789abcdef" };
		const [inForce, never] = readCsv(
			versionsCsv([
				{ ...written, version: 2, inForce: true, publications: [publish, rollback], origin },
				{ ...written, version: 1, inForce: false, publications: [], origin: null },
			] as unknown as VersionView[]),
		);
		expect(inForce).toMatchObject({
			...{ Version: "2", Active: "yes", "Activated (UTC)": "2026-11-09T09:00:00.000Z", By: "Bo", Method: "rollback" },
			...{ "Approved by": "Cy", Backtest: "bt_1", File: "default.yaml", Commit: "0123456789abcdef" },
		});
		expect(never).toMatchObject({ Active: "no", Author: "Ada", "Activated (UTC)": "", By: "", Method: "", Commit: "" });
	});
});
