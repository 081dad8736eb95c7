import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { z } from "zod";
import { listStudiesInput, studyDemandInput } from "#server/contract/inputs/plan.ts";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { demandProfile } from "#server/plan/profile/demand.ts";
import { decodeGroups, filteredHours, filteredProfile } from "#server/plan/profile/demand-groups.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type StudySummary, type StudyView, summaryOf, viewOf } from "./view.ts";

const { trace: _, demandGroups: __, ...COLUMNS } = getTableColumns(planStudy);
const { result: ___, ...SUMMARY } = COLUMNS;

/**
 * A study with its progress, and its result when done.
 * @throws SpillwayError `forbidden`, `not_found`
 */
export async function getStudy(ctx: ServiceContext, id: string): Promise<StudyView> {
	authorize(ctx, "plan:read", null);
	const [row] = await ctx.db.select(COLUMNS).from(planStudy).where(eq(planStudy.id, id));
	if (!row) throw noStudy(id);
	return viewOf(row);
}

/**
 * Demand, waits and burst candidates of one team, one class or both, profiled like those of the whole.
 * @throws SpillwayError `forbidden`, `not_found`, `precondition_failed` before the history is read and for studies of earlier releases
 */
export async function filterDemand(ctx: ServiceContext, raw: z.input<typeof studyDemandInput>) {
	authorize(ctx, "plan:read", null);
	const { id, team, class: workloadClass } = studyDemandInput.parse(raw);
	const [row] = await ctx.db
		.select({ bytes: planStudy.demandGroups, capacityGpus: sql<number>`(${planStudy.result} #>> '{assessment,capacity,gpus}')::float8` })
		.from(planStudy)
		.where(eq(planStudy.id, id));
	if (!row) throw noStudy(id);
	if (row.bytes === null || row.capacityGpus === null)
		throw new SpillwayError("precondition_failed", `The plan study ${id} has no figures by team and class.`, {
			fix: "Wait until it is done, or start it again: studies of earlier releases have none.",
		});
	const groups = decodeGroups(row.bytes);
	const { jobs, hours } = filteredHours(groups, { team, workloadClass });
	const profile = filteredProfile(groups, { team, workloadClass });
	return {
		...{ jobs, demand: demandProfile(hours, row.capacityGpus) },
		profile: profile && { waits: profile.waits, candidates: profile.candidates, candidatesLeftOut: profile.candidatesLeftOut },
		teams: namesOf(groups.groups.map((group) => group.team)),
		classes: namesOf(groups.groups.map((group) => group.workloadClass)),
	};
}

function namesOf(names: readonly string[]): string[] {
	return [...new Set(names)].sort();
}

/** Studies, newest first, without their results. */
export async function listStudies(ctx: ServiceContext, raw: z.input<typeof listStudiesInput> = {}): Promise<StudySummary[]> {
	authorize(ctx, "plan:read", null);
	const { limit } = listStudiesInput.parse(raw);
	const rows = await ctx.db.select(SUMMARY).from(planStudy).orderBy(desc(planStudy.createdAt)).limit(limit);
	return rows.map(summaryOf);
}

export function noStudy(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no plan study ${id.slice(0, 64)}.`, { fix: "GET /plan/studies lists them." });
}
