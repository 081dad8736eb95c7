import { asc, eq, type SQL } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { charge } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import type { Charge } from "#server/domain/charge.ts";
import { WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { noJob } from "#server/services/core/no-job.ts";

/**
 * Every charge of a job, oldest first.
 * @throws SpillwayError `not_found`, `forbidden`.
 */
export async function chargesOf(ctx: Pick<ServiceContext, "actor" | "db">, jobId: string): Promise<Charge[]> {
	const [row] = await ctx.db.select({ team: job.team }).from(job).where(eq(job.id, jobId));
	authorizeFound(ctx, "spend:read", row, () => noJob(jobId));
	return readCharges(ctx.db, eq(charge.jobId, jobId));
}

/** For use within the ledger: no authorization. */
export async function readCharges(db: DbOrTx, where: SQL | undefined): Promise<Charge[]> {
	const rows = await db.select().from(charge).where(where).orderBy(asc(charge.periodStart), asc(charge.id));
	return rows.map(toCharge);
}

export function toCharge(row: typeof charge.$inferSelect): Charge {
	const { periodStart, periodEnd, team, project, siteId, provider, region, capacityType, accelerator, kind, number: _, ...rest } = row;
	return {
		...rest,
		periodStartMs: periodStart.getTime(),
		periodEndMs: periodEnd.getTime(),
		dimensions: { team, project, class: classOf(row.class), siteId, provider, region, capacityType, accelerator, kind },
	};
}

/** Text of a charge's column: "" when no class applies. */
export function classOf(text: string): Charge["dimensions"]["class"] {
	return WORKLOAD_CLASSES.find((c) => c === text) ?? "";
}
