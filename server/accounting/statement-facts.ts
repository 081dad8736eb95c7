import type { ChargeKind } from "#server/domain/charge.ts";
import type { StatementBill, StatementBudget, StatementLineKey } from "#server/domain/statement.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";
import type { Converter } from "./exchange.ts";
import type { RollupSums } from "./rollup.ts";
import type { VarianceCell } from "./variance.ts";

/** Sums of a month that have one team, project and line. */
export interface MonthRow extends RollupSums {
	month: "this" | "previous";
	team: string;
	project: string;
	provider: Provider;
	capacityType: CapacityType;
	accelerator: string;
	kind: ChargeKind;
	/** Owned hardware that no job used: it has no workload class. */
	idle: boolean;
}

/** What one team and project spent on one day of the month, by line. */
export type DayRow = Pick<MonthRow, "team" | "project" | "capacityType" | "kind" | "idle" | "effectiveMicroUsd"> & {
	/** Of the ledger's calendar, e.g. `2026-11-26`. */
	day: string;
};

/** How jobs that left home in the month fared against waiting for it, by team. */
export interface BurstWait {
	team: string;
	/** Jobs with their first placement in a cloud that started there. */
	jobs: number;
	/** Of these, those for which home was never an answer: nothing to compare with. */
	withoutHome: number;
	/** Σ (forecast start at home, P50 of the decision − actual start); below 0 when home would have been sooner. */
	savedMs: number;
}

/** The cheapest hour of one accelerator in the clouds that the policy lets every job use. */
export interface CheapestCloud {
	accelerator: string;
	/** Of the whole machine, with so many GPUs. */
	microUsdPerHour: bigint;
	gpus: number;
	/** e.g. "aws g6e.xlarge, spot, us-east-2". */
	offer: string;
}

export interface TopJob extends RollupSums {
	jobId: string;
	name: string;
	team: string;
	state: string;
}

export interface WasteRow {
	team: string;
	key: "failed" | "interrupted" | "cancelled";
	microUsd: bigint;
	gpuMs: bigint;
}

/** A month of the whole company, read at one moment: every statement of it is made from this. */
export interface MonthFacts {
	month: string;
	fromMs: number;
	toMs: number;
	zone: string;
	postedUntilMs: number;
	/** Of a month that is being closed: the number of the newest charge. */
	postedUntilNumber?: number;
	/** First day with charges, when it lies in this month or the one before. */
	ledgerFromMs?: number;
	/** Of a month that is over: the cells of both months that its change is explained from. */
	varianceCells?: { before: readonly VarianceCell[]; after: readonly VarianceCell[] };
	/** Of this month by day, for a statement in another currency. */
	inCurrency?: { converter: Converter; rows: readonly DayRow[] };
	/** By team and line, of both months. */
	rows: readonly MonthRow[];
	/** The same of this month by project, and by what was used and bought. They may be `rows` themselves. */
	projectRows: readonly MonthRow[];
	itemRows: readonly MonthRow[];
	/** By team ("" is the company), most expensive first. */
	topJobs: ReadonlyMap<string, readonly TopJob[]>;
	waste: readonly WasteRow[];
	burst: readonly BurstWait[];
	cheapest: readonly CheapestCloud[];
	/** With the team that a budget is for; "" is everybody's. */
	budgets: readonly (StatementBudget & { team: string })[];
	/** By team ("" is the company). */
	bills: ReadonlyMap<string, readonly StatementBill[]>;
}

/** Idle first: it is what the hardware was, whatever corrected it later. Then what a charge was for, then where it ran. */
export function lineOf(row: Pick<MonthRow, "idle" | "kind" | "capacityType">): StatementLineKey {
	if (row.idle || row.kind === "idle") return "idle";
	switch (row.kind) {
		case "egress":
		case "storage":
		case "commitment":
		case "credit":
		case "tax":
		case "adjustment":
			return row.kind;
		case "compute":
		case "boot":
		case "staging":
			return row.capacityType;
	}
}
