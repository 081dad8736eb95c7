import { desc, eq, getTableColumns } from "drizzle-orm";
import type { z } from "zod";
import { listStudiesInput } from "#server/contract/inputs/plan.ts";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type StudySummary, type StudyView, summaryOf, viewOf } from "./view.ts";

const { trace: _, ...COLUMNS } = getTableColumns(planStudy);
const { result: __, ...SUMMARY } = COLUMNS;

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
