import { describe, expect, it } from "vitest";
import { checkDraft } from "./check-draft.ts";
import { readDraft } from "./read-draft.ts";

const read = (text: string) => readDraft(text, checkDraft(text));

const FILE = `apiVersion: spillway/v1
kind: Job
metadata: { name: a, team: risk }
spec:
  command: [python, train.py]
  duration: { estimate: 6h }
`;

describe("readDraft", () => {
	it("reads a job and its raw fields", () => {
		const draft = read(FILE);
		expect(draft.spec?.duration.estimateMs).toBe(6 * 3_600_000);
		expect(draft.valueAt(["spec", "duration", "estimate"])).toBe("6h");
		expect(draft.valueAt(["spec", "image"])).toBeUndefined();
		expect(draft.problems).toEqual([]);
	});

	it("reports invalid fields with line and column", () => {
		const draft = read(FILE.replace("6h", "6 parsecs"));
		expect(draft.spec).toBeNull();
		expect(draft.readable).toBe(true);
		expect(draft.problemAt(["spec", "duration", "estimate"])).toMatch(/not a duration/);
		expect(draft.problemAt(["spec", "duration"])).toMatch(/not a duration/);
		expect(draft.problemAt(["spec", "resources"])).toBeNull();
		expect(draft.problems[0]).toMatchObject({ line: 6, column: 25 });
	});

	it("has no fields if the YAML does not parse", () => {
		const draft = read("metadata: { name: a");
		expect(draft.readable).toBe(false);
		expect(draft.valueAt(["metadata", "name"])).toBeUndefined();
		expect(draft.problems[0]?.message).toMatch(/Invalid YAML/);
		expect(draft.problems[0]?.line).toBeGreaterThan(0);
	});

	it("handles cyclic documents", () => {
		expect(read("a: &a [*a]").spec).toBeNull();
		expect(read("").spec).toBeNull();
	});
});
