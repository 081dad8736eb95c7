import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { didYouMean, nearestName } from "./nearest-name.ts";

const FIELDS = ["gpus", "class", "priority", "accelerators", "memoryGiB"];

describe("nearestName", () => {
	it.each([
		["gpsu", "gpus"],
		["gpu", "gpus"],
		["Class", "class"],
		["prioritty", "priority"],
		["memorygib", "memoryGiB"],
		["acelerator", "accelerators"],
		["colour", null],
		["", null],
		["zz", null],
	])("%j is meant as %j", (given, want) => {
		expect(nearestName(given, FIELDS)).toBe(want);
	});

	it("finds every known name itself, and answers any text", () => {
		fc.assert(
			fc.property(fc.constantFrom(...FIELDS), fc.string({ unit: "binary" }), (name, text) => {
				expect(nearestName(name, FIELDS)).toBe(name);
				const near = nearestName(text, FIELDS);
				expect(near === null || FIELDS.includes(near)).toBe(true);
			}),
		);
	});

	it("lists what there is when nothing is near", () => {
		expect(didYouMean("gpsu", FIELDS)).toBe("Did you mean gpus?");
		expect(didYouMean("colour", ["a", "b"])).toBe("There are: a, b.");
	});
});
