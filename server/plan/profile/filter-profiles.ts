import type { PlanAssessment } from "../types.ts";

/** What an assessment says of the jobs that match a filter, besides their demand. */
export type ProfileOfJobs = Pick<PlanAssessment, "candidates" | "candidatesLeftOut"> & { waits: Omit<PlanAssessment["waits"], "basis"> };

/** `team` or `workloadClass` null: of any. Never both. */
export interface FilterProfile extends ProfileOfJobs {
	team: string | null;
	workloadClass: string | null;
}

interface Cell {
	team: string;
	workloadClass: string;
	/** Of the history, ascending. */
	rows: readonly number[];
}

/**
 * The profile of each team, each class, and both. Cost: three passes over the jobs, since each belongs to three filters.
 * @param cells one for each team and class that has jobs
 */
export function filterProfiles(cells: readonly Cell[], profileOf: (rows: readonly number[]) => ProfileOfJobs): FilterProfile[] {
	const rowsOf = (some: readonly Cell[]): readonly number[] => {
		const [only] = some;
		return only && some.length === 1 ? only.rows : some.flatMap(({ rows }) => rows).sort((a, b) => a - b);
	};
	const byTeam = [...Map.groupBy(cells, ({ team }) => team)].map(([team, some]) => ({ team, workloadClass: null, rows: rowsOf(some) }));
	const byClass = [...Map.groupBy(cells, ({ workloadClass }) => workloadClass)].map(([workloadClass, some]) => ({
		...{ team: null, workloadClass, rows: rowsOf(some) },
	}));
	return [...byTeam, ...byClass, ...cells].map(({ team, workloadClass, rows }) => ({ team, workloadClass, ...profileOf(rows) }));
}
