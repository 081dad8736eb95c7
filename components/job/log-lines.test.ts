import { describe, expect, it } from "vitest";
import type { LogPage } from "#components/trpc/outputs.ts";
import { findLines, type LogLine, lineAt, logFile, plainLine, withEarlier, withPage } from "./log-lines.ts";

const line = (number: number, text = `line ${number}`, stream: LogLine["stream"] = "stdout"): LogLine => ({
	number,
	at: "2026-11-21T04:44:00.000Z",
	stream,
	text,
});
const page = (numbers: number[], total = 9): LogPage => ({
	attempt: 1,
	attempts: 1,
	lines: numbers.map((n) => line(n)),
	total,
	complete: false,
	jobEnded: false,
});
const numbers = (state: { lines: readonly LogLine[] }) => state.lines.map((l) => l.number);

describe("plainLine", () => {
	it("removes colors and links", () => {
		expect(plainLine("\u001b[1;32mloss\u001b[0m 0.21")).toBe("loss 0.21");
		expect(plainLine("\u001b]8;;https://x\u0007text\u001b]8;;\u0007")).toBe("text");
		expect(plainLine("\u001b[?25lhidden")).toBe("hidden");
	});
	it("keeps the last state of a progress bar", () => {
		expect(plainLine("10%\r50%\r100%")).toBe("100%");
		expect(plainLine("done\r")).toBe("done");
	});
	it("keeps tabs and brackets that are not escape sequences", () => {
		expect(plainLine("a\tb [0m]")).toBe("a\tb [0m]");
	});
});

describe("withPage", () => {
	it("continues where it was, ignoring duplicates", () => {
		const first = withPage(undefined, page([4, 5]));
		expect(numbers(withPage(first, page([5, 6, 7])))).toEqual([4, 5, 6, 7]);
	});
	it("never lowers the line count", () => {
		expect(withPage(withPage(undefined, page([1], 9)), page([], 7)).total).toBe(9);
	});
});

describe("withEarlier", () => {
	it("prepends them once", () => {
		expect(numbers(withEarlier(withPage(undefined, page([4, 5])), page([2, 3, 4])))).toEqual([2, 3, 4, 5]);
	});
});

describe("findLines", () => {
	it("matches case-insensitively; an empty query matches nothing", () => {
		const lines = [line(1, "Loss 1"), line(2, "step"), line(3, "final loss")];
		expect(findLines(lines, " LOSS ")).toEqual([0, 2]);
		expect(findLines(lines, "  ")).toEqual([]);
	});
});

describe("logFile", () => {
	it("names the stream unless it is stdout", () => {
		expect(logFile([line(1, "a"), line(2, "b", "stderr")])).toBe("2026-11-21T04:44:00.000Z a\n2026-11-21T04:44:00.000Z [stderr] b\n");
	});
});

describe("lineAt", () => {
	const lines = [1, 2, 4].map((s, i) => ({ number: i + 1, at: new Date(s * 1_000).toISOString(), stream: "stdout", text: "" }) as LogLine);
	it.each([
		[0, 0],
		[2_000, 1],
		[3_999, 1],
		[9_000, 2],
	])("at %d ms it is line %d", (atMs, index) => expect(lineAt(lines, atMs)).toBe(index));
	it("is null without lines", () => expect(lineAt([], 5)).toBeNull());
});
