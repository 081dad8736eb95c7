import { describe, expect, it } from "vitest";
import { layoutGraph, NODE } from "./layout-graph.ts";
import { ganttOf } from "./prepare-gantt.ts";

const node = (name: string, ...needs: string[]) => ({ name, needs });

describe("the graph", () => {
	it("puts each step in the column after the last step that it needs", () => {
		const { nodes, edges, width, height } = layoutGraph([node("a"), node("b", "a"), node("c", "a"), node("d", "b", "a")]);
		const column = NODE.width + NODE.gapX;
		expect(nodes.map(({ x }) => x / column)).toEqual([0, 1, 1, 2]);
		expect(nodes.map(({ y }) => y)).toEqual([0, 0, NODE.height + NODE.gapY, 0]);
		expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual(["a b", "a c", "b d", "a d"]);
		expect([width, height]).toEqual([3 * column - NODE.gapX, 2 * NODE.height + NODE.gapY]);
	});
});

describe("the Gantt chart", () => {
	const at = (minute: number) => new Date(minute * 60_000).toISOString();
	const range = (p50: number, p90 = p50) => ({ p50: at(p50), p90: at(p90) });

	it("draws what happened next to the forecast, on one axis", () => {
		const { rows, fromMs, untilMs } = ganttOf(
			[
				{ name: "a", startedAt: at(0), finishedAt: at(20) },
				{ name: "b", startedAt: at(25), finishedAt: null },
				{ name: "c", startedAt: null, finishedAt: null },
			],
			[
				{ name: "a", start: range(0), finish: range(10, 30), isCritical: true },
				{ name: "b", start: range(10), finish: range(40, 50), isCritical: false },
			],
			{ submittedAtMs: 0, nowMs: 30 * 60_000 },
		);
		expect([fromMs, untilMs]).toEqual([0, 50 * 60_000]);
		expect(rows.map(({ actual }) => actual && [actual.left * 50, actual.width * 50].map(Math.round))).toEqual([[0, 20], [25, 5], null]);
		expect(rows.map(({ forecast }) => forecast && [forecast.left * 50, forecast.width * 50, forecast.late * 50].map(Math.round))).toEqual([
			[0, 10, 30],
			[10, 30, 50],
			null,
		]);
	});
});
