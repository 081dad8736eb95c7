import { eq } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { storedCharge } from "#server/accounting/meter-storage.ts";
import { egressMicroUsd } from "#server/accounting/storage-cost.ts";
import type { Tx } from "#server/db/client.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { job } from "#server/db/schema/job.ts";
import { store } from "#server/db/schema/store.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { storeDimensions } from "#server/domain/store-place.ts";
import { currentStorePrices } from "#server/services/pricing/store/prices.ts";
import { type BudgetsOfJobs, lockBudgetsOfJobs, postToBudgets } from "../budget/post-to-budgets.ts";
import { postCharges } from "./post-charges.ts";

export interface DeliveryEgress {
	charges: ChargeDraft[];
	budgets: BudgetsOfJobs;
}

/**
 * Charge for the egress of one delivery of a result at its store's price; no charge without a price. Locks the job's budgets, so call it
 * before other rows are locked, and post it in the transaction that records the delivery.
 */
export async function egressOfDelivery(tx: Tx, artifactId: string, nowMs: number): Promise<DeliveryEgress> {
	const none: DeliveryEgress = { charges: [], budgets: new Map() };
	const [found] = await tx
		.select({ artifact, work: { team: job.team, project: job.project, class: job.class }, store: { id: store.id, config: store.config } })
		.from(artifact)
		.innerJoin(job, eq(job.id, artifact.jobId))
		.leftJoin(store, eq(store.id, artifact.storeId))
		.where(eq(artifact.id, artifactId));
	if (!found) return none;
	const { id, jobId, bytes, storeId } = found.artifact;
	const key = storeId ?? EMBEDDED_STORE;
	const price = (await currentStorePrices(tx, [key])).get(key)?.microUsdPerGiBEgress ?? null;
	const microUsd = price === null ? 0n : egressMicroUsd(bytes, price);
	if (microUsd === 0n) return none;
	const dimensions = { ...found.work, ...storeDimensions(found.store), accelerator: "" };
	const charge = storedCharge({ artifactId: id, jobId, dimensions }, "egress", { fromMs: nowMs, toMs: nowMs + 1 }, microUsd);
	return { charges: [charge], budgets: await lockBudgetsOfJobs(tx, [jobId]) };
}

export async function postDeliveryEgress(tx: Tx, { charges, budgets }: DeliveryEgress, nowMs: number): Promise<void> {
	await postToBudgets(tx, charges, budgets);
	await postCharges(tx, charges, nowMs);
}
