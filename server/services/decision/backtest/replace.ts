import { and, eq, inArray, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { backtest } from "#server/db/schema/backtest.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";

/** Automatic backtests kept for each person and policy, so that an hour of editing does not fill the database. */
export const AUTOMATIC_KEPT = 20;

/**
 * Cancels the caller's other backtests of a policy, so that a person has one at a time, and deletes the oldest automatic ones. Those
 * shown when a version was published or proposed are kept.
 */
export async function replaceOwn(tx: DbOrTx, { actor, clock }: ServiceContext, policyName: string): Promise<void> {
	const own = and(eq(backtest.policyName, policyName), eq(backtest.createdBy, actorName(actor)));
	await tx
		.update(backtest)
		.set({ state: "cancelled", finishedAt: new Date(clock.nowMs()) })
		.where(and(own, inArray(backtest.state, ["queued", "running"])));
	// In plain SQL, so that `b.id` inside the subqueries is the row to delete.
	await tx.execute(sql`
		delete from backtest b where b.automatic and b.policy_name = ${policyName} and b.created_by = ${actorName(actor)}
			and b.id not in (
				select id from backtest where automatic and policy_name = ${policyName} and created_by = ${actorName(actor)}
				order by created_at desc limit ${AUTOMATIC_KEPT}::int)
			and not exists (select 1 from policy_publication p where p.backtest_id = b.id)
			and not exists (select 1 from proposal p where p.change ->> 'backtestId' = b.id)`);
}
