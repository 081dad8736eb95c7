import { eq } from "drizzle-orm";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { LedgerContext } from "./context.ts";
import { meterInstances } from "./meter-instances.ts";
import { meterAllocation } from "./meter-pools.ts";

/** How often to wait for a row locked elsewhere; after that, the next meterAll settles the rest. */
const TRIES = 5;

/**
 * Charges one instance up to its end (or now, while it runs) and closes its hold, without waiting for the next meter. Do not call it within
 * a transaction. A second call changes nothing.
 */
export async function settleInstance(ctx: LedgerContext, instanceId: string): Promise<void> {
	for (let n = 0; n < TRIES; n++) {
		if ((await meterInstances(ctx, [instanceId])).size > 0) return;
		if (!(await waitFor(ctx, instanceId))) return;
	}
}

/** Like settling an instance, for an allocation on an owned pool. */
export async function settleAllocation(ctx: LedgerContext, allocationId: string): Promise<void> {
	await meterAllocation(ctx, allocationId);
}

/** Returns once the rows are unlocked. Each wait is a separate transaction without other locks, so it cannot deadlock. */
async function waitFor(ctx: LedgerContext, instanceId: string): Promise<boolean> {
	const [row] = await ctx.db.select({ jobId: instance.jobId }).from(instance).where(eq(instance.id, instanceId)).for("no key update");
	if (!row) return false;
	if (row.jobId !== null) await ctx.db.select({ id: job.id }).from(job).where(eq(job.id, row.jobId)).for("no key update");
	return true;
}
