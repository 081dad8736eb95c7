import { and, asc, eq, isNull, ne, or } from "drizzle-orm";
import { billingTermsOf } from "#server/accounting/billing-terms.ts";
import { meterUsage, type Usage } from "#server/accounting/meter-usage.ts";
import type { Calendar } from "#server/accounting/zone.ts";
import { job } from "#server/db/schema/job.ts";
import { keptMachine } from "#server/db/schema/kept-machine.ts";
import { holdLedgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { powerOfMachine } from "#server/services/pricing/energy/power-facts.ts";
import { lockBudgetsOfJobs, postToBudgets } from "../budget/post-to-budgets.ts";
import type { LedgerContext } from "./context.ts";
import { postCharges } from "./post-charges.ts";

/**
 * Charges machines that a person kept after a restore, from their launch to now or to their end: to the job that they were launched for
 * and its budgets if the database has the job, else to no team. Safe to run concurrently.
 */
export async function meterKept(ctx: LedgerContext): Promise<void> {
	const due = or(isNull(keptMachine.endedAt), isNull(keptMachine.meteredUntil), ne(keptMachine.meteredUntil, keptMachine.endedAt));
	const rows = await ctx.db
		.select({ id: keptMachine.id, jobId: keptMachine.jobId })
		.from(keptMachine)
		.where(due)
		.orderBy(asc(keptMachine.id));
	for (const { id, jobId } of rows) {
		await ctx.db.transaction(async (tx) => {
			const budgets = await lockBudgetsOfJobs(tx, jobId === null ? [] : [jobId]);
			const [row] = await tx
				.select()
				.from(keptMachine)
				.where(and(eq(keptMachine.id, id), due))
				.for("no key update", { skipLocked: true });
			if (!row) return;
			const [work] =
				jobId === null
					? []
					: await tx.select({ team: job.team, project: job.project, class: job.class }).from(job).where(eq(job.id, jobId));
			const calendar = await holdLedgerCalendar(tx);
			const nowMs = ctx.clock.nowMs();
			const { charges, meteredUntilMs } = meterUsage(usageOf(row, work ?? null, calendar), row.meteredUntil?.getTime() ?? null, nowMs);
			const cost = charges.reduce((sum, charge) => sum + charge.effectiveMicroUsd, row.costMicroUsd);
			await tx
				.update(keptMachine)
				.set({ meteredUntil: new Date(meteredUntilMs), costMicroUsd: cost })
				.where(eq(keptMachine.id, id));
			await postToBudgets(tx, charges, budgets);
			await postCharges(tx, charges, nowMs);
		});
	}
}

type Work = Pick<typeof job.$inferSelect, "team" | "project" | "class">;

function usageOf(row: typeof keptMachine.$inferSelect, work: Work | null, calendar: Calendar): Usage {
	const { siteId, provider, region, capacityType, accelerator, gpus, microUsdPerHour, listMicroUsdPerHour } = row;
	const startMs = row.launchedAt.getTime();
	const price = microUsdPerHour ?? 0n;
	return {
		startMs,
		endMs: row.endedAt?.getTime() ?? null,
		prices: [{ fromMs: startMs, microUsdPerHour: price, listMicroUsdPerHour: listMicroUsdPerHour ?? price }],
		terms: billingTermsOf(provider),
		...{ calendar, gpus },
		power: powerOfMachine({ ...row, offer: { pue: null, gridGramsPerKwh: null } }, new Map(), undefined),
		dimensions: { ...(work ?? { team: "", project: "", class: "" as const }), siteId, provider, region, capacityType, accelerator },
		cause: { jobId: work === null ? null : row.jobId, attemptId: null, instanceId: row.id, allocationId: null, poolId: null },
	};
}
