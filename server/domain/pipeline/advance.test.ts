import { describe, expect, it } from "vitest";
import { seededRandom } from "../../kernel/random.ts";
import type { JobState, PipelineState } from "../states.ts";
import { canMove, STEP_TRANSITIONS } from "../states.ts";
import { type Advance, advancePipeline, type GraphStep, type Holds, type RunView } from "./advance.ts";

const step = (name: string, needs: number[] = [], more: Partial<GraphStep> = {}): GraphStep => ({
	name,
	needs,
	when: null,
	retry: 0,
	...more,
});
const run = (index: number, at: number, more: Partial<RunView> = {}): RunView => ({
	index,
	step: at,
	state: "waiting",
	tries: 0,
	job: null,
	...more,
});
const ended = (state: JobState, exitCode: number | null = null): Pick<RunView, "state" | "tries" | "job"> => ({
	state: "submitted",
	tries: 1,
	job: { state, exitCode },
});
const always: Holds = () => ({ holds: true, error: null });

function advance(graph: GraphStep[], runs: RunView[], more: { state?: PipelineState; parallel?: number; holds?: Holds } = {}): Advance {
	return advancePipeline(graph, runs, { state: "running", parallel: null, holds: always, ...more });
}

const CHAIN = [step("prepare"), step("train", [0]), step("evaluate", [1])];

describe("advancing a pipeline", () => {
	it("submits steps without needs first, then those with satisfied needs", () => {
		const runs = [run(0, 0), run(1, 1), run(2, 1), run(3, 2)];
		expect(advance(CHAIN, runs)).toMatchObject({ submit: [0], moves: [], state: "running" });
		const done = [run(0, 0, ended("succeeded", 0)), run(1, 1), run(2, 1), run(3, 2)];
		expect(advance(CHAIN, done)).toMatchObject({ submit: [1, 2], moves: [{ index: 0, to: "succeeded" }] });
	});

	it("waits for every run of a needed step", () => {
		const half = [run(0, 0, { state: "succeeded" }), run(1, 1, ended("succeeded")), run(2, 1, ended("running")), run(3, 2)];
		expect(advance(CHAIN, half)).toMatchObject({ submit: [], moves: [{ index: 1, to: "succeeded" }], state: "running" });
	});

	it("skips everything that needs a failed step, and fails", () => {
		const runs = [run(0, 0, ended("failed", 3)), run(1, 1), run(2, 1), run(3, 2)];
		const { moves, state, submit, counts } = advance(CHAIN, runs);
		expect(moves.map(({ index, to, why }) => [index, to, why])).toEqual([
			[0, "failed", null],
			[1, "skipped", "prepare failed"],
			[2, "skipped", "prepare failed"],
			[3, "skipped", "train was skipped"],
		]);
		expect({ state, submit }).toEqual({ state: "failed", submit: [] });
		expect(counts).toMatchObject({ failed: 1, skipped: 3 });
	});

	it("submits a failed run again while retries are left", () => {
		const graph = [step("train", [], { retry: 2 })];
		const failed = (tries: number) => [run(0, 0, { ...ended("failed", 1), tries })];
		expect(advance(graph, failed(2))).toMatchObject({ submit: [0], moves: [{ to: "waiting" }], state: "running" });
		expect(advance(graph, failed(3))).toMatchObject({ submit: [], moves: [{ to: "failed", exitCode: 1 }], state: "failed" });
	});

	it("evaluates a condition on the results of the needed steps, including failed ones", () => {
		const graph = [step("check"), step("repair", [0], { when: "c" })];
		const asked: unknown[] = [];
		const holds: Holds = (_, needs) => {
			asked.push(needs);
			return { holds: true, error: null };
		};
		expect(advance(graph, [run(0, 0, ended("failed", 42)), run(1, 1)], { holds })).toMatchObject({ submit: [1] });
		expect(asked).toEqual([
			{ check: { state: "failed", exit: 42, runs: 1, succeeded: 0, failed: 1, skipped: 0, min: {}, max: {}, results: {} } },
		]);
		const not: Holds = () => ({ holds: false, error: null });
		expect(advance(graph, [run(0, 0, ended("succeeded", 0)), run(1, 1)], { holds: not })).toMatchObject({ state: "succeeded", submit: [] });
	});

	it("limits the number of concurrent runs", () => {
		const graph = [step("trial")];
		const runs = [run(0, 0, ended("running")), run(1, 0), run(2, 0), run(3, 0)];
		expect(advance(graph, runs, { parallel: 3 }).submit).toEqual([1, 2]);
	});

	it("cancels waiting runs, retries nothing and ends with the last job", () => {
		const graph = [step("train", [], { retry: 5 }), step("evaluate", [0])];
		const runs = [run(0, 0, ended("running")), run(1, 1)];
		expect(advance(graph, runs, { state: "cancelling" })).toMatchObject({ moves: [{ index: 1, to: "cancelled" }], state: "cancelling" });
		const over = [run(0, 0, ended("cancelled")), run(1, 1, { state: "cancelled" })];
		expect(advance(graph, over, { state: "cancelling" })).toMatchObject({ state: "cancelled", submit: [] });
	});

	it("ends every graph, moves only along the arrows, and is idempotent", () => {
		const random = seededRandom(24);
		for (let round = 0; round < 200; round++) {
			const graph = Array.from({ length: random.int(1, 12) }, (_, at) =>
				step(
					`s${at}`,
					Array.from({ length: at }, (_unused, need) => need).filter(() => random.next() < 0.3),
					{ retry: random.int(0, 2), when: random.next() < 0.2 ? "c" : null },
				),
			);
			let runs = graph.flatMap((_, at) => Array.from({ length: random.int(1, 4) }, () => at)).map((at, index) => run(index, at));
			const options = {
				parallel: random.int(1, 6),
				holds: ((_when, needs) => ({ holds: Object.keys(needs).length !== 1, error: null })) as Holds,
			};
			let state: PipelineState = "running";
			for (let turn = 0; state === "running"; turn++) {
				expect(turn).toBeLessThan(500);
				const next = advance(graph, runs, options);
				for (const { index, to } of next.moves) {
					const from = runs[index]?.state ?? "waiting";
					expect(canMove(STEP_TRANSITIONS, from, to)).toBe(true);
				}
				const moved = new Map(next.moves.map((move) => [move.index, move.to]));
				const submitted = new Set(next.submit);
				runs = runs.map((one) => {
					const to = moved.get(one.index) ?? one.state;
					return submitted.has(one.index)
						? { ...one, state: "submitted" as const, tries: one.tries + 1, job: { state: "running" as const, exitCode: null } }
						: { ...one, state: to };
				});
				state = next.state;
				const again = advance(graph, runs, options);
				expect({ moves: again.moves, submit: again.submit, state: again.state }).toEqual({ moves: [], submit: [], state });
				runs = runs.map((one) =>
					one.state === "submitted" && random.next() < 0.5
						? { ...one, job: { state: random.next() < 0.8 ? ("succeeded" as const) : ("failed" as const), exitCode: 0 } }
						: one,
				);
			}
			expect(runs.every((one) => one.state !== "waiting" && one.state !== "submitted")).toBe(true);
		}
	});
});
