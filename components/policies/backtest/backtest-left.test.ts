import { expect, it } from "vitest";
import { backtestLeftMs } from "./backtest-left.ts";

const STARTED = "2026-11-26T10:00:00.000Z";
const at = (seconds: number) => Date.parse(STARTED) + seconds * 1_000;

it.each([
	["a quarter done after 5 s", 250, 5, 15_000],
	["nearly done", 990, 9.9, 1_000],
	["too early to say", 49, 5, null],
])("%s", (_, progressPermille, seconds, left) =>
	expect(backtestLeftMs({ progressPermille, startedAt: STARTED, finishedAt: null }, at(seconds))).toBe(left),
);

it("has no time left before its start and after its end", () => {
	expect(backtestLeftMs({ progressPermille: 500, startedAt: null, finishedAt: null }, at(5))).toBeNull();
	expect(backtestLeftMs({ progressPermille: 1_000, startedAt: STARTED, finishedAt: STARTED }, at(5))).toBeNull();
});
