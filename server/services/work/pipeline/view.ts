import type { pipeline } from "#server/db/schema/pipeline.ts";
import type { PipelineKind } from "#server/domain/pipeline/pipeline.ts";
import type { PipelineState, StepState } from "#server/domain/states.ts";
import { iso } from "#server/services/core/view.ts";

/** Cost of the jobs of a pipeline or step. */
export interface PipelineCost {
	costMicroUsd: bigint;
	emissionsMilligrams: bigint;
}

export const NO_COST: PipelineCost = { costMicroUsd: 0n, emissionsMilligrams: 0n };

/** A pipeline or sweep in lists. Times are ISO 8601 in UTC, money decimal strings of micro-dollars. */
export interface PipelineView {
	id: string;
	kind: PipelineKind;
	name: string;
	team: string;
	project: string;
	state: PipelineState;
	/** Number of declared steps, and of jobs they expand to. */
	steps: number;
	runs: number;
	counts: Record<StepState, number>;
	submittedBy: string;
	submittedAt: string;
	finishedAt: string | null;
	deadlineAt: string | null;
	budgetMicroUsd: string | null;
	costMicroUsd: string;
	emissionsGrams: number;
}

type PipelineRow = Omit<typeof pipeline.$inferSelect, "quote">;

export function pipelineView(row: PipelineRow, cost: PipelineCost): PipelineView {
	return {
		...{ id: row.id, kind: row.kind, name: row.name, team: row.team, project: row.project, state: row.state },
		...{ steps: row.graph.length, runs: row.runs, counts: row.counts, submittedBy: row.submittedBy },
		submittedAt: row.submittedAt.toISOString(),
		...{ finishedAt: iso(row.finishedAt), deadlineAt: iso(row.deadlineAt) },
		budgetMicroUsd: row.budgetMicroUsd?.toString() ?? null,
		costMicroUsd: cost.costMicroUsd.toString(),
		emissionsGrams: Number(cost.emissionsMilligrams) / 1_000,
	};
}
