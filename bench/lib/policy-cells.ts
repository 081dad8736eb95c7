import type { ReplayReport } from "#server/simulation/replay/types.ts";
import { round } from "./figures.ts";

/**
 * Rules with one parameter, scored at the best value in hindsight: hours to wait, jobs in the queue, hours until a machine may be replaced.
 */
export const WAITS = ["wait_then_spot:0.25", "wait_then_spot:1", "wait_then_spot:4", "wait_then_spot:16"] as const;
export const QUEUES = ["queue_then_spot:1", "queue_then_spot:4", "queue_then_spot:16", "queue_then_spot:64"] as const;
export const CONSOLIDATES = ["consolidate:0", "consolidate:2"] as const;
/** Strategies that each seed is replayed under, in addition to Spillway. */
export const CELL_RULES: readonly string[] = ["overflow_on_demand", "eager_spot", "pull", ...CONSOLIDATES, ...WAITS, ...QUEUES];
/** Also for traces with deadlines. */
export const DEADLINE_RULES: readonly string[] = ["uniform_progress_owned"];

/**
 * Spillway compared with the rules on one trace and one draw of spot; ratios of cloud cost, unless named otherwise. null: division by 0, or
 * no such rule.
 */
export interface Cell extends Record<Ratio, number | null> {
	trace: string;
	seed: number;
	/** The rule used for toBest. */
	best: string | null;
	avoidableMisses: number;
	overshootUsd: number;
}

const RATIOS = [
	"toEager",
	"toPull",
	"toOverflow",
	// The cheapest value in hindsight.
	"toConsolidate",
	"toUniform",
	// The cheapest with a mean time to the model no longer than Spillway's: of each family, and of all rules.
	"toWait",
	"toQueue",
	"toBest",
	// The lowest cost of any schedule with everything known beforehand, at each hour's prices and capacity.
	"toBound",
	// Mean wait, mean time to the model and lost GPU-hours.
	"waitToEager",
	"timeToEager",
	"timeToPull",
	"lostToEager",
] as const;
type Ratio = (typeof RATIOS)[number];

/** Geometric means over the cells by the ratio's name, and the worst cell as `worst` plus the name. */
export type CellSummary = { cells: number; avoidableMisses: number } & Record<string, number | null>;

export function cellOf(
	at: { trace: string; seed: number; boundUsd: number | null },
	spillway: ReplayReport,
	rules: ReadonlyMap<string, ReplayReport>,
): Cell {
	const { boundUsd, ...of } = at;
	const [eager, pull] = [rules.get("eager_spot"), rules.get("pull")];
	const to = (other: ReplayReport | undefined, value: (report: ReplayReport) => number = cost): number | null =>
		other ? ratio(value(spillway), value(other)) : null;
	const cheapest = (names: Iterable<string>): ReplayReport | undefined =>
		[...names].flatMap((name) => rules.get(name) ?? []).sort((a, b) => cost(a) - cost(b))[0];
	const asFast = (names: Iterable<string>): ReplayReport | undefined =>
		cheapest([...names].filter((name) => (rules.get(name)?.meanTimeToModelS ?? Number.POSITIVE_INFINITY) <= spillway.meanTimeToModelS));
	const best = asFast(rules.keys());
	return {
		...of,
		toEager: to(eager),
		toPull: to(pull),
		toOverflow: to(rules.get("overflow_on_demand")),
		toConsolidate: to(cheapest(CONSOLIDATES)),
		toUniform: to(cheapest(DEADLINE_RULES)),
		toWait: to(asFast(WAITS)),
		toQueue: to(asFast(QUEUES)),
		toBest: to(best),
		best: best?.strategy ?? null,
		toBound: boundUsd === null ? null : ratio(spillway.cloudCostUsd, boundUsd),
		waitToEager: to(eager, ({ meanWaitS }) => meanWaitS),
		timeToEager: to(eager, ({ meanTimeToModelS }) => meanTimeToModelS),
		timeToPull: to(pull, ({ meanTimeToModelS }) => meanTimeToModelS),
		lostToEager: to(eager, ({ lostGpuHours }) => lostGpuHours),
		avoidableMisses: spillway.avoidableStrictMisses,
		overshootUsd: spillway.overshootUsd,
	};
}

export function summaryOf(cells: readonly Cell[]): CellSummary {
	const summary: CellSummary = { cells: cells.length, avoidableMisses: cells.reduce((sum, cell) => sum + cell.avoidableMisses, 0) };
	for (const name of RATIOS) {
		const values = cells.flatMap((cell) => cell[name] ?? []);
		if (values.length === 0) continue;
		summary[name] = round(Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length), 4);
		summary[`worst${name[0]?.toUpperCase()}${name.slice(1)}`] = Math.max(...values);
	}
	return summary;
}

function cost({ cloudCostUsd }: ReplayReport): number {
	return cloudCostUsd;
}

function ratio(value: number, by: number): number | null {
	return by === 0 ? null : round(value / by, 4);
}
