import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestName, suggestName } from "./nearest-name.ts";

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

	it("finds every known name itself, and handles any text", () => {
		fc.assert(
			fc.property(fc.constantFrom(...FIELDS), fc.string({ unit: "binary" }), (name, text) => {
				expect(nearestName(name, FIELDS)).toBe(name);
				const near = nearestName(text, FIELDS);
				expect(near === null || FIELDS.includes(near)).toBe(true);
			}),
		);
	});

	it("finds the same as the full distance table", () => {
		const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 9 });
		fc.assert(
			fc.property(word, fc.array(word, { maxLength: 6 }), (given, known) => {
				const bound = Math.min(3, Math.max(1, Math.floor(given.length / 3)));
				const distances = known.map((name) => distanceOf(given, name));
				const least = Math.min(...distances);
				expect(nearestName(given, known)).toBe(least <= bound ? known[distances.indexOf(least)] : null);
			}),
			{ numRuns: 500 },
		);
	});

	it("compares a thousand names at most, and lists 24", () => {
		const names = Array.from({ length: 5_000 }, (_, i) => `team-${String(i).padStart(4, "0")}`);
		expect(nearestName("taem-0999", names)).toBe("team-0999");
		expect(nearestName("taem-1000", names)).not.toBe("team-1000");
		expect(suggestName("colour", names)).toMatch(/^Use one of: team-0000, .*team-0023 and 4976 more\.$/);
	});

	it("lists the known names when none is near", () => {
		expect(suggestName("gpsu", FIELDS)).toBe("Did you mean gpus?");
		expect(suggestName("colour", ["a", "b"])).toBe("Use one of: a, b.");
	});
});

/** Optimal string alignment, straight from its definition. */
function distanceOf(a: string, b: string): number {
	if (a.length === 0 || b.length === 0) return a.length + b.length;
	const same = a.at(-1) === b.at(-1) ? 0 : 1;
	const [shortA, shortB] = [a.slice(0, -1), b.slice(0, -1)];
	let least = Math.min(distanceOf(shortA, b) + 1, distanceOf(a, shortB) + 1, distanceOf(shortA, shortB) + same);
	if (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1))
		least = Math.min(least, distanceOf(a.slice(0, -2), b.slice(0, -2)) + 1);
	return least;
}
