import { expect, it } from "vitest";
import { type ChartMark, groupMarks, marksByRow } from "./marks.ts";

const mark = (share: number): ChartMark => ({
	...{ id: `m${share}`, kind: "policy", atMs: share * 1_000, share },
	...{ when: "12:00", text: `at ${share}` },
});

it("merges marks that would overlap into one marker, whatever their order", () =>
	expect(groupMarks([mark(0.5), mark(0.1), mark(0.12)], 0.05).map(({ share, marks }) => [share, marks.length])).toEqual([
		[0.1, 2],
		[0.5, 1],
	]));

it("lists the marks of a row of the table", () =>
	expect([...marksByRow([mark(0.1), mark(0.12), mark(0.9)], ({ share }) => Math.round(share))]).toEqual([
		[0, "at 0.1 (12:00); at 0.12 (12:00)"],
		[1, "at 0.9 (12:00)"],
	]));
