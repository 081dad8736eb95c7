import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinCommand, splitCommand } from "./command-line.ts";

describe("splitCommand", () => {
	it.each([
		["python train.py --epochs 10", ["python", "train.py", "--epochs", "10"]],
		["  a   b ", ["a", "b"]],
		["sh -c 'echo \"$HOME\"'", ["sh", "-c", 'echo "$HOME"']],
		['say "it\\"s" a\\ b', ["say", 'it"s', "a b"]],
		['"a\\nb"', ["a\\nb"]],
		["one'two'\"three\"", ["onetwothree"]],
		["'' x", ["", "x"]],
		["", []],
	])("parses %j", (line, parts) => expect(splitCommand(line)).toEqual(parts));

	it.each(["'open", 'a "b', "end\\"])("returns null for the open quote in %j", (line) => expect(splitCommand(line)).toBeNull());
});

describe("joinCommand", () => {
	it("quotes only where needed", () => {
		expect(joinCommand(["node", "a b.js", "--x=1", ""])).toBe("node 'a b.js' --x=1 ''");
	});
	it("round-trips any words", () => {
		fc.assert(
			fc.property(fc.array(fc.string({ unit: "grapheme" })), (parts) => {
				expect(splitCommand(joinCommand(parts))).toEqual(parts);
			}),
		);
	});
});
