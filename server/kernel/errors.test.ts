import { expect, it } from "vitest";
import { isSpillwayError, SpillwayError } from "./errors.ts";

class Special extends SpillwayError {}

it("recognizes errors of another copy of the class and of subclasses, and no others", async () => {
	const copy: typeof import("./errors.ts") = await import(`./errors.ts?copy=${"other"}`);
	expect(copy.SpillwayError).not.toBe(SpillwayError);
	for (const error of [new copy.SpillwayError("conflict", "x"), new SpillwayError("conflict", "x"), new Special("conflict", "x")])
		expect(isSpillwayError(error)).toBe(true);
	for (const other of [new Error("x"), null, "x", {}]) expect(isSpillwayError(other)).toBe(false);
});
