import { describe, expect, it } from "vitest";
import { orderedEnds, pressBrushKey } from "./brush.ts";

const axis = { min: 0, max: 9, step: 1, current: 4 };

describe("pressBrushKey", () => {
	it("extends the selection from the value that was read, up to the chart's ends", () => {
		const first = pressBrushKey(null, "ArrowRight", true, axis);
		expect(first).toEqual({ ends: { anchor: 4, head: 5 }, does: "select" });
		expect(pressBrushKey(first?.ends ?? null, "ArrowRight", true, { ...axis, current: 9 })?.ends).toEqual({ anchor: 4, head: 9 });
		expect(pressBrushKey(null, "ArrowLeft", true, { ...axis, current: 0 })?.ends).toEqual({ anchor: 0, head: 0 });
	});

	it("applies with Enter and discards with Escape, which resets the range without a selection", () => {
		const ends = { anchor: 4, head: 2 };
		expect(pressBrushKey(ends, "Enter", false, axis)).toEqual({ ends: null, does: "apply" });
		expect(pressBrushKey(ends, "Escape", false, axis)).toEqual({ ends: null, does: "select" });
		expect(pressBrushKey(null, "Escape", false, axis)).toEqual({ ends: null, does: "reset" });
	});

	it("leaves other keys to the chart's keyboard navigation", () => {
		expect(pressBrushKey(null, "ArrowRight", false, axis)).toBeNull();
		expect(pressBrushKey(null, "Enter", false, axis)).toBeNull();
	});

	it("orders the ends", () => expect(orderedEnds({ anchor: 4, head: 2 })).toEqual([2, 4]));
});
