import { describe, expect, it } from "vitest";
import { freeSpace } from "./completion-space.ts";

const WINDOW = { left: 0, top: 0, right: 1280, bottom: 800 };
const line = { top: 300, bottom: 320 };
const message = (top: number) => ({ top, bottom: top + 30 });

describe("space for the completion list", () => {
	it("is the window without messages, and ends at the nearest ones", () => {
		expect(freeSpace(WINDOW, line, [])).toEqual(WINDOW);
		expect(freeSpace(WINDOW, line, [message(40), message(100), message(500), message(600)])).toEqual({ ...WINDOW, top: 130, bottom: 500 });
	});
	it("is above a line that has a message", () => {
		expect(freeSpace(WINDOW, line, [message(320)])).toEqual({ ...WINDOW, bottom: 320 });
	});
	it("takes the space of the message above when neither side holds three entries", () => {
		expect(freeSpace(WINDOW, line, [message(270), message(320)])).toEqual({ ...WINDOW, bottom: 320 });
	});
});
