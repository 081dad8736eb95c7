import { type BudgetBook, openBudgets } from "./budget.ts";
import { openCaps } from "./caps.ts";
import { Evictions } from "./evict.ts";
import { type Core, coreAt } from "./memo.ts";
import type { DecideOptions, Plan, Snapshot } from "./types.ts";

/** One cycle in the making: what it reads, what it has given away so far, and its plan. */
export interface Cycle {
	snapshot: Snapshot;
	explainOnly: ReadonlySet<string>;
	/** DecideOptions.asked. */
	asked: ReadonlySet<string>;
	brief: boolean;
	/** Nothing but the actions is asked for. */
	actionsOnly: boolean;
	core: Core;
	budgets: BudgetBook;
	/** Attempts that got an action so far. */
	settled: Set<string>;
	evictions: Evictions;
	/** Jobs decided so far that wait for home. */
	waitingForHome: number;
	plan: Plan;
}

const NOBODY: ReadonlySet<string> = new Set();

export function openCycle(snapshot: Snapshot, options: DecideOptions): Cycle {
	const core = coreAt(snapshot, options.memo);
	const asked = options.asked ?? NOBODY;
	return {
		snapshot,
		explainOnly: options.explain ?? asked,
		asked,
		brief: options.brief === true,
		actionsOnly: options.actionsOnly === true,
		core,
		budgets: openBudgets(
			snapshot.budgets,
			openCaps(snapshot, (spec) => core.shapeOf(spec).verdict.caps),
		),
		settled: new Set(),
		evictions: new Evictions(snapshot, core.runTimeOf),
		waitingForHome: 0,
		plan: { actions: [], explanations: [], forecasts: new Map(), replayed: new Map(), waiting: new Map() },
	};
}
