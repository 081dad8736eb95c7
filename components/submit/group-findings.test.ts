import { describe, expect, it } from "vitest";
import { type Finding, groupFindings, marksOf } from "./group-findings.ts";

const finding = (line: number, kind: Finding["kind"]): Finding => ({ line, kind, subject: `${kind} ${line}`, text: "" });

describe("findings of an import", () => {
	const all = [finding(2, "carried"), finding(3, "dropped"), finding(4, "question"), finding(4, "carried"), finding(9, "question")];

	it("are grouped with questions first, by line, and without empty groups", () => {
		expect(groupFindings(all).map((g) => [g.title, g.note, g.findings.map((f) => f.line)])).toEqual([
			["Needs your answer", "2, before you can submit", [4, 9]],
			["Not carried over", "1", [3]],
			["Carried over as written", "2", [2, 4]],
		]);
		expect(groupFindings([])).toEqual([]);
	});

	it("mark each line by the gravest of them", () => {
		expect([...marksOf(all)]).toEqual([
			[2, "carried"],
			[3, "dropped"],
			[4, "question"],
			[9, "question"],
		]);
	});
});
