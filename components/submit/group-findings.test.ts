import { describe, expect, it } from "vitest";
import { type Finding, groupFindings, marksOf } from "./group-findings.ts";

const finding = (line: number, kind: Finding["kind"]): Finding => ({ line, kind, subject: `${kind} ${line}`, text: "" });

describe("import findings", () => {
	const all = [finding(2, "carried"), finding(3, "dropped"), finding(4, "question"), finding(4, "carried"), finding(9, "question")];

	it("are grouped with questions first, by line, without empty groups", () => {
		expect(groupFindings(all).map((g) => [g.title, g.note, g.findings.map((f) => f.line)])).toEqual([
			["Needs your decision", "2, required to submit", [4, 9]],
			["Not converted", "1", [3]],
			["Converted unchanged", "2", [2, 4]],
		]);
		expect(groupFindings([])).toEqual([]);
	});

	it("mark each line by its most severe finding", () => {
		expect([...marksOf(all)]).toEqual([
			[2, "carried"],
			[3, "dropped"],
			[4, "question"],
			[9, "question"],
		]);
	});
});
