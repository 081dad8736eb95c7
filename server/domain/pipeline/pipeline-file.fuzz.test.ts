import fc from "fast-check";
import { expect, it } from "vitest";
import { SpillwayError } from "#server/kernel/errors.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { parseTriggerText } from "../trigger/trigger-file.ts";
import { parsePipelineText } from "./pipeline-file.ts";

const BASE = `apiVersion: spillway/v1
kind: Pipeline
metadata: { name: p, team: t }
spec:
  parameters: { n: { type: number, default: 2 } }
  budgetUsd: 5
  steps:
    - name: a
      foreach: [x, y]
      job: { command: [run, "\${{ item }}"], outputs: [{ name: o, path: out }] }
    - name: b
      needs: [a]
      when: needs.a.exit == 0
      matrix: { r: [1, 2] }
      job: { command: [run, "\${{ matrix.r }}", "\${{ parameters.n }}"], data: [{ from: a.o, mount: in }] }
`;
const TRIGGER = `apiVersion: spillway/v1
kind: Trigger
metadata: { name: p, team: t }
spec: { cron: { schedule: "0 6 * * mon", zone: UTC }, pipeline: { kind: Pipeline } }
`;
const PIECES = [
	"",
	"-",
	":",
	"{",
	"]",
	"null",
	"~",
	"1e999",
	"-1",
	'"',
	"&a",
	"*a",
	"\t",
	"\u0000",
	"\u{1f600}",
	"${{",
	"}}",
	"b",
	"__proto__",
	"needs: [b]",
	"kind: Sweep",
	"<<: *a",
	"2026-13-40",
];

/** The text with parts replaced, removed or repeated. */
const mutated = (text: string) =>
	fc
		.array(fc.record({ at: fc.nat(text.length), cut: fc.nat(12), put: fc.constantFrom(...PIECES) }), { minLength: 1, maxLength: 4 })
		.map((edits) => edits.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), text));

/** A problem has a message, and a position unless the whole document is unreadable. */
function expectRefusal(parse: () => unknown): void {
	try {
		parse();
	} catch (error) {
		expect(error).toBeInstanceOf(SpillwayError);
		if (!(error instanceof SpillwayError)) return;
		expect(error.code).toBe("invalid_input");
		for (const { message, line } of error.fields) {
			expect(message).not.toBe("");
			expect(line).toBeGreaterThan(0);
		}
	}
}

it("rejects every broken pipeline with a line and a message", () => {
	fc.assert(
		fc.property(mutated(BASE), (text) => expectRefusal(() => parsePipelineText(text, { checkCondition: () => [] }))),
		{ numRuns: cases(150, 3_000) },
	);
});

it("rejects every broken trigger with a line and a message", () => {
	fc.assert(
		fc.property(mutated(TRIGGER), (text) => expectRefusal(() => parseTriggerText(text))),
		{ numRuns: cases(150, 3_000) },
	);
});
