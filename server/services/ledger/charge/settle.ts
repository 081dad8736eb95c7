import { eq } from "drizzle-orm";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { LedgerContext } from "./context.ts";
import { meterInstances } from "./meter-instances.ts";
import { meterAllocation } from "./meter-pools.ts";

/** Times that a row in somebody else's hands is waited for; what is missed then, the next meterAll settles. */
const TRIES = 5;

/**
 * Charges one instance up to its end (or now, while it runs) and closes its hold, without waiting for the next meter.
 * Not to be called within a transaction. A second call changes nothing.
 */
export async function settleInstance(ctx: LedgerContext, instanceId: string): Promise<void> {
	for (let n = 0; n < TRIES; n++) {
		if ((await meterInstances(ctx, [instanceId])).size > 0) return;
		if (!(await waitFor(ctx, instanceId))) return;
	}
}

/** The same for an allocation on an owned pool. */
export async function settleAllocation(ctx: LedgerContext, allocationId: string): Promise<void> {
	await meterAllocation(ctx, allocationId);
}

/** Returns once no one holds the rows; each wait is its own transaction that holds nothing else, so none is circular. */
async function waitFor(ctx: LedgerContext, instanceId: string): Promise<boolean> {
	const [row] = await ctx.db.select({ jobId: instance.jobId }).from(instance).where(eq(instance.id, instanceId)).for("no key update");
	if (!row) return false;
	await ctx.db.select({ id: job.id }).from(job).where(eq(job.id, row.jobId)).for("no key update");
	return true;
}
