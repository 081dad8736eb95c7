import type { ChargeKind } from "#server/domain/charge.ts";
import type { StatementBill, StatementBudget, StatementLineKey } from "#server/domain/statement.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";
import type { Converter } from "./exchange.ts";
import type { RollupSums } from "./rollup.ts";
import type { VarianceCell } from "./variance.ts";

/** Sums of a month for one team, project and line. */
export interface MonthRow extends RollupSums {
	month: "this" | "previous";
	team: string;
	project: string;
	provider: Provider;
	capacityType: CapacityType;
	accelerator: string;
	kind: ChargeKind;
	/** Owned hardware that no job used; it has no workload class. */
	idle: boolean;
}

/** Spend of one team and project on one day of the month, by line. */
export type DayRow = Pick<MonthRow, "team" | "project" | "capacityType" | "kind" | "idle" | "effectiveMicroUsd"> & {
	/** In the ledger's calendar, e.g. `2026-11-26`. */
	day: string;
};

/** Wait times saved or lost by jobs that left home in the month, by team. */
export interface BurstWait {
	team: string;
	/** Jobs that started in the cloud at their first placement. */
	jobs: number;
	/** Of these, jobs that could never run at home, so there is nothing to compare. */
	withoutHome: number;
	/** Σ (forecast start at home, P50 of the decision − actual start); negative if home would have been sooner. */
	savedMs: number;
}

/** Lowest hourly price of an accelerator in the clouds that the policy opens to every job. */
export interface CheapestCloud {
	accelerator: string;
	/** For the whole machine, with this many GPUs. */
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

/** A month of the whole company, read at one moment: the source for all its statements. */
export interface MonthFacts {
	month: string;
	fromMs: number;
	toMs: number;
	zone: string;
	postedUntilMs: number;
	/** Number of the newest charge, when closing a month. */
	postedUntilNumber?: number;
	/** First day with charges, if in this month or the previous one. */
	ledgerFromMs?: number;
	/** For a month that is over: the cells of both months that explain its change. */
	varianceCells?: { before: readonly VarianceCell[]; after: readonly VarianceCell[] };
	/** This month by day, for a statement in another currency. */
	inCurrency?: { converter: Converter; rows: readonly DayRow[] };
	/** By team and line, for both months. */
	rows: readonly MonthRow[];
	/** The same for this month by project, and by amounts used and bought. May be `rows` themselves. */
	projectRows: readonly MonthRow[];
	itemRows: readonly MonthRow[];
	/** By team ("" is the company), most expensive first. */
	topJobs: ReadonlyMap<string, readonly TopJob[]>;
	waste: readonly WasteRow[];
	burst: readonly BurstWait[];
	cheapest: readonly CheapestCloud[];
	/** With the team that a budget is for; "" is company-wide. */
	budgets: readonly (StatementBudget & { team: string })[];
	/** By team ("" is the company). */
	bills: ReadonlyMap<string, readonly StatementBill[]>;
}

/** Idle first, since that describes the hardware, whatever corrected it later. Then the kind of charge, then the place. */
export function lineOf(row: Pick<MonthRow, "idle" | "kind" | "capacityType">): StatementLineKey {
	if (row.idle || row.kind === "idle") return "idle";
	switch (row.kind) {
		case "egress":
		case "storage":
		case "commitment":
		case "credit":
		case "tax":
		case "adjustment":
		case "kept_warm":
			return row.kind;
		case "compute":
		case "boot":
		case "staging":
			return row.capacityType;
	}
}
