import { type BudgetBook, openBudgets } from "./budget.ts";
import { openCaps } from "./caps.ts";
import { Evictions } from "./evict.ts";
import type { Finding } from "./finding.ts";
import type { KeptQueue } from "./kept-queue.ts";
import { type Core, coreAt } from "./memo.ts";
import type { DecideMemo, DecideOptions, PendingJob, Plan, Snapshot } from "./types.ts";

/** A cycle in progress: its input, what it has allocated so far, and its plan. */
export interface Cycle {
	snapshot: Snapshot;
	explainOnly: ReadonlySet<string>;
	/** DecideOptions.asked. */
	asked: ReadonlySet<string>;
	brief: boolean;
	/** Only the actions are needed. */
	actionsOnly: boolean;
	core: Core;
	budgets: BudgetBook;
	/** Attempts that already have an action. */
	settled: Set<string>;
	evictions: Evictions;
	/** Results of earlier quotes at this moment, for jobs that are not quoted themselves. */
	found: WeakMap<PendingJob, Finding>;
	/** Jobs decided so far that wait for home. */
	waitingForHome: number;
	/** The queue of the last cycle; null: each job is searched for again. */
	kept: KeptQueue | null;
	plan: Plan;
}

const NONE: ReadonlySet<string> = new Set();

export function openCycle(snapshot: Snapshot, options: DecideOptions): Cycle {
	const core = coreAt(snapshot, options.memo);
	const asked = options.asked ?? NONE;
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
		found: foundAt(snapshot, core, asked, options.memo),
		waitingForHome: 0,
		// Only starts in the median replay are kept.
		kept: options.actionsOnly && options.memo && asked.size === 0 && !snapshot.forecastScale ? core.queue : null,
		plan: { actions: [], explanations: [], forecasts: new Map(), replayed: new Map(), waiting: new Map() },
	};
}

/** Without quotes, nothing is looked up or cached. */
const NOTHING_FOUND: Cycle["found"] = new WeakMap();

interface Moment {
	core: Core;
	snapshot: Snapshot;
	others: readonly PendingJob[];
	found: WeakMap<PendingJob, Finding>;
}

/**
 * The memo of the last cycle with quotes, if this is the same moment: the same objects except the quoted jobs, which take nothing from the
 * others.
 */
function foundAt(snapshot: Snapshot, core: Core, asked: ReadonlySet<string>, memo: DecideMemo | undefined): Moment["found"] {
	if (asked.size === 0) return NOTHING_FOUND;
	if (!memo) return new WeakMap();
	const others = snapshot.pending.filter(({ jobId }) => !asked.has(jobId));
	const last = memo.kept.get("moment") as Moment | undefined;
	if (last?.core === core && isSameMoment(last.snapshot, snapshot) && isSameList(last.others, others)) return last.found;
	const moment: Moment = { core, snapshot, others, found: new WeakMap() };
	memo.kept.set("moment", moment);
	return moment.found;
}

function isSameMoment(a: Snapshot, b: Snapshot): boolean {
	const names = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof Snapshot>;
	names.delete("pending");
	return [...names].every((name) => a[name] === b[name]);
}

function isSameList(a: readonly PendingJob[], b: readonly PendingJob[]): boolean {
	return a.length === b.length && a.every((job, i) => job === b[i]);
}
