import type { planStudy } from "#server/db/schema/plan-study.ts";
import type { PlanComparison } from "#server/plan/compare/types.ts";
import type { PlanHeadline } from "#server/plan/headline.ts";
import type { PlanAssessment } from "#server/plan/types.ts";

/** The findings of a study. */
export interface StudyResult {
	assessment: PlanAssessment;
	comparison: PlanComparison;
	/** Published claims about a trace. Absent for own records, and in studies of earlier releases. */
	headline?: PlanHeadline;
}

/** A study without its result, as shown in lists. */
export interface StudySummary {
	id: string;
	source: Row["source"];
	name: string;
	state: Row["state"];
	/** 0 to 1000. */
	progressPermille: number;
	error: string | null;
	createdAt: string;
	createdBy: string;
	startedAt: string | null;
	finishedAt: string | null;
}

export interface StudyView extends StudySummary {
	result: StudyResult | null;
}

type Row = typeof planStudy.$inferSelect;

export function summaryOf(row: Omit<Row, "result" | "trace" | "demandGroups">): StudySummary {
	const { id, source, name, state, progressPermille, error, createdBy } = row;
	return {
		...{ id, source, name, state, progressPermille, error, createdBy },
		createdAt: row.createdAt.toISOString(),
		startedAt: row.startedAt?.toISOString() ?? null,
		finishedAt: row.finishedAt?.toISOString() ?? null,
	};
}

export function viewOf(row: Omit<Row, "trace" | "demandGroups">): StudyView {
	return { ...summaryOf(row), result: row.result as StudyResult | null };
}
