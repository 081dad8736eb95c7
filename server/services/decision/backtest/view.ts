import type { backtest } from "#server/db/schema/backtest.ts";
import type { BacktestEstimate, BacktestResult } from "#server/domain/backtest.ts";

/** A backtest without its result, as shown in lists. */
export interface BacktestSummary {
	id: string;
	policyName: string;
	/** The version that the draft is compared with. */
	baseVersion: number;
	from: string;
	to: string;
	state: Row["state"];
	/** 0 to 1000. */
	progressPermille: number;
	/** Why it failed. */
	error: string | null;
	createdAt: string;
	createdBy: string;
	/** Started by the editor after an edit. */
	automatic: boolean;
	startedAt: string | null;
	finishedAt: string | null;
}

export interface BacktestView extends BacktestSummary {
	/** The draft it ran with. */
	source: string;
	/** From a sample of the latest jobs; null before it is ready, and for short histories. */
	estimate: BacktestEstimate | null;
	result: BacktestResult | null;
}

type Row = typeof backtest.$inferSelect;

export function summaryOf(row: Omit<Row, "result" | "estimate" | "source">): BacktestSummary {
	return {
		id: row.id,
		policyName: row.policyName,
		baseVersion: row.baseVersion,
		from: row.fromTime.toISOString(),
		to: row.toTime.toISOString(),
		state: row.state,
		progressPermille: row.progressPermille,
		error: row.error,
		createdAt: row.createdAt.toISOString(),
		createdBy: row.createdBy,
		automatic: row.automatic,
		startedAt: row.startedAt?.toISOString() ?? null,
		finishedAt: row.finishedAt?.toISOString() ?? null,
	};
}

export function viewOf(row: Row): BacktestView {
	return { ...summaryOf(row), source: row.source, estimate: row.estimate, result: row.result };
}
