import { describe, expect, it } from "vitest";
import type { LogPage } from "#components/trpc/outputs.ts";
import { findLines, type LogLine, logFile, plainLine, withEarlier, withPage } from "./log-lines.ts";

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
	it("takes colours and links away", () => {
		expect(plainLine("\u001b[1;32mloss\u001b[0m 0.21")).toBe("loss 0.21");
		expect(plainLine("\u001b]8;;https://x\u0007text\u001b]8;;\u0007")).toBe("text");
		expect(plainLine("\u001b[?25lhidden")).toBe("hidden");
	});
	it("shows of a progress bar what was written last", () => {
		expect(plainLine("10%\r50%\r100%")).toBe("100%");
		expect(plainLine("done\r")).toBe("done");
	});
	it("keeps tabs and brackets that are no escape", () => {
		expect(plainLine("a\tb [0m]")).toBe("a\tb [0m]");
	});
});

describe("withPage", () => {
	it("goes on where it was, whatever was asked twice", () => {
		const first = withPage(undefined, page([4, 5]));
		expect(numbers(withPage(first, page([5, 6, 7])))).toEqual([4, 5, 6, 7]);
	});
	it("never counts fewer lines than it did", () => {
		expect(withPage(withPage(undefined, page([1], 9)), page([], 7)).total).toBe(9);
	});
});

describe("withEarlier", () => {
	it("puts them in front once", () => {
		expect(numbers(withEarlier(withPage(undefined, page([4, 5])), page([2, 3, 4])))).toEqual([2, 3, 4, 5]);
	});
});

describe("findLines", () => {
	it("looks for the text in any case, and for nothing when nothing is asked", () => {
		const lines = [line(1, "Loss 1"), line(2, "step"), line(3, "final loss")];
		expect(findLines(lines, " LOSS ")).toEqual([0, 2]);
		expect(findLines(lines, "  ")).toEqual([]);
	});
});

describe("logFile", () => {
	it("names the stream that is not the command's own output", () => {
		expect(logFile([line(1, "a"), line(2, "b", "stderr")])).toBe("2026-11-21T04:44:00.000Z a\n2026-11-21T04:44:00.000Z [stderr] b\n");
	});
});
