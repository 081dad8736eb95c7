import type { ReplayReport } from "#server/simulation/replay/types.ts";
import { round } from "./figures.ts";

/** Rules with a number, scored at the best value in hindsight: hours to wait, and jobs in the queue. */
export const WAITS = ["wait_then_spot:0.5", "wait_then_spot:2", "wait_then_spot:6"] as const;
export const QUEUES = ["queue_then_spot:4", "queue_then_spot:16", "queue_then_spot:64"] as const;
/** What each seed is replayed under, beside Spillway. */
export const CELL_RULES: readonly string[] = ["overflow_on_demand", "eager_spot", "pull", ...WAITS, ...QUEUES];

/** Spillway next to the rules on one trace and one draw of spot; ratios of cloud cost, mean wait and lost GPU-hours. null: by 0. */
export interface Cell {
	trace: string;
	seed: number;
	toEager: number | null;
	toPull: number | null;
	toOverflow: number | null;
	waitToEager: number | null;
	lostToEager: number | null;
	/** By the cheapest rule with a number and a mean time to the model no longer than Spillway's; null: there is none. */
	toWait: number | null;
	toQueue: number | null;
	avoidableMisses: number;
	overshootUsd: number;
}

export interface CellSummary {
	cells: number;
	/** Geometric means over the cells, and the worst cell. */
	toEager: number | null;
	toPull: number | null;
	worstToEager: number | null;
	worstToPull: number | null;
	avoidableMisses: number;
}

export function cellOf(trace: string, seed: number, spillway: ReplayReport, rules: ReadonlyMap<string, ReplayReport>): Cell {
	const eager = rules.get("eager_spot");
	const to = (other: ReplayReport | undefined, value: (report: ReplayReport) => number): number | null => {
		const by = other && value(other);
		return by ? round(value(spillway) / by, 4) : null;
	};
	const cost = ({ cloudCostUsd }: ReplayReport): number => cloudCostUsd;
	const best = (names: readonly string[]): ReplayReport | undefined =>
		names
			.flatMap((name) => rules.get(name) ?? [])
			.filter(({ meanTimeToModelS }) => meanTimeToModelS <= spillway.meanTimeToModelS)
			.sort((a, b) => cost(a) - cost(b))[0];
	return {
		trace,
		seed,
		toEager: to(eager, cost),
		toPull: to(rules.get("pull"), cost),
		toOverflow: to(rules.get("overflow_on_demand"), cost),
		waitToEager: to(eager, ({ meanWaitS }) => meanWaitS),
		lostToEager: to(eager, ({ lostGpuHours }) => lostGpuHours),
		toWait: to(best(WAITS), cost),
		toQueue: to(best(QUEUES), cost),
		avoidableMisses: spillway.avoidableStrictMisses,
		overshootUsd: spillway.overshootUsd,
	};
}

export function summaryOf(cells: readonly Cell[]): CellSummary {
	const of = (value: (cell: Cell) => number | null): number[] => cells.flatMap((cell) => value(cell) ?? []);
	const mean = (values: readonly number[]): number | null =>
		values.length === 0 ? null : round(Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length), 4);
	const worst = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values));
	const [toEager, toPull] = [of((cell) => cell.toEager), of((cell) => cell.toPull)];
	return {
		cells: cells.length,
		...{ toEager: mean(toEager), toPull: mean(toPull), worstToEager: worst(toEager), worstToPull: worst(toPull) },
		avoidableMisses: cells.reduce((sum, cell) => sum + cell.avoidableMisses, 0),
	};
}
