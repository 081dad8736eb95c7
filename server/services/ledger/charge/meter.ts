import { notify } from "#server/db/notify.ts";
import type { LedgerContext } from "./context.ts";
import { meterCommitments } from "./meter-commitments.ts";
import { instancesToMeter, meterInstances } from "./meter-instances.ts";
import { meterKept } from "./meter-kept.ts";
import { listPoolKeys, meterPoolUntilNow } from "./meter-pools.ts";
import { meterStorage } from "./meter-storage.ts";

export interface MeterOptions {
	/** Instances per transaction. */
	batchSize?: number;
	/**
	 * A running instance is charged again only after this interval; its end is charged immediately. 0 charges it at every call. Large
	 * installations raise the interval, since each charge of an instance is a row.
	 */
	minOpenMs?: number;
}

const BATCH_SIZE = 200;

/**
 * Turns the uncharged time of every instance, allocation and idle GPU into charges, up to now or to its end, and likewise ended days of
 * kept results. Each batch is one transaction of charges, rollups, totals, holds and budgets, so a meter that is killed neither loses nor
 * doubles a charge, and any number of meters may run concurrently.
 */
export async function meterAll(ctx: LedgerContext, options: MeterOptions = {}): Promise<{ instances: number; allocations: number }> {
	const { batchSize = BATCH_SIZE, minOpenMs = 0 } = options;
	const nowMs = ctx.clock.nowMs();
	const due = await instancesToMeter(ctx, { nowMs, minOpenMs });
	let instances = 0;
	for (let at = 0; at < due.length; at += batchSize) instances += (await meterInstances(ctx, due.slice(at, at + batchSize))).size;
	let allocations = 0;
	for (const key of await listPoolKeys(ctx)) allocations += await meterPoolUntilNow(ctx, key);
	await meterKept(ctx);
	await meterCommitments(ctx);
	await meterStorage(ctx);
	await notify(ctx.db, { changes: [{ topic: "spend", id: null, team: null }] });
	return { instances, allocations };
}
