import { describe, expect, it } from "vitest";
import { placeNextTo } from "./popover.ts";

const viewport = { width: 400, height: 300 };

describe("placeNextTo", () => {
	it("is below the anchor, aligned to its start", () => {
		expect(placeNextTo({ top: 20, left: 30, width: 60, height: 20 }, { width: 100, height: 80 }, viewport, "bottom", "start")).toEqual({
			top: 46,
			left: 30,
		});
	});

	it("flips if there is no room below", () => {
		expect(placeNextTo({ top: 260, left: 30, width: 60, height: 20 }, { width: 100, height: 80 }, viewport, "bottom", "start").top).toBe(
			174,
		);
	});

	it("stays in the window near its edge", () => {
		expect(placeNextTo({ top: 20, left: 380, width: 20, height: 20 }, { width: 100, height: 80 }, viewport, "bottom", "start").left).toBe(
			292,
		);
	});

	it("aligns to the anchor's end on request", () => {
		expect(placeNextTo({ top: 20, left: 200, width: 60, height: 20 }, { width: 100, height: 80 }, viewport, "bottom", "end").left).toBe(
			160,
		);
	});
});
