import { desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { z } from "zod";
import { listStudiesInput, studyDemandInput } from "#server/contract/inputs/plan.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { findProfile } from "#server/plan/profile/stored-filters.ts";
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
 * Demand, waits and burst candidates of one team, class or GPU model, or of several of these, profiled like those of the whole.
 * @throws SpillwayError `forbidden`, `not_found`, `precondition_failed` before the history is read and for studies of earlier releases
 */
export async function filterDemand(ctx: ServiceContext, raw: z.input<typeof studyDemandInput>) {
	authorize(ctx, "plan:read", null);
	const { id, team, class: workloadClass, gpu: gpuModel } = studyDemandInput.parse(raw);
	const found = await findProfile((at, length) => readFilters(ctx.db, id, at, length), { team, workloadClass, gpuModel });
	if (!found)
		throw new SpillwayError("precondition_failed", `The plan study ${id} has no figures by team, class and GPU model.`, {
			fix: "Wait until it is done, or start it again: studies of earlier releases have none.",
		});
	const { jobs, demand, ...profile } = found.profile;
	return { jobs, demand, profile: jobs === 0 ? null : profile, teams: found.teams, classes: found.classes, gpus: found.gpuModels };
}

/** Some bytes of a study's stored profiles; none before it is done. PostgreSQL reads only the pages that hold them. */
async function readFilters(db: DbOrTx, id: string, at: number, length: number): Promise<Uint8Array> {
	const bytes = sql<Uint8Array | null>`substring(${planStudy.demandGroups} from ${at + 1}::int for ${length}::int)`;
	const [row] = await db.select({ bytes }).from(planStudy).where(eq(planStudy.id, id));
	if (!row) throw noStudy(id);
	return row.bytes ?? new Uint8Array();
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
