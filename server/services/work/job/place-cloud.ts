import { eq } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { hold } from "#server/db/schema/budget.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { DataRead, Offer, Placement } from "#server/domain/capacity.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { attemptIdOf, instanceIdOf } from "#server/kernel/ids.ts";
import { rentHoldOf } from "#server/scheduling/cost.ts";
import { columnsOfOffer } from "#server/services/capacity/instance/of-offer.ts";
import { assignWarm, lockWarm } from "#server/services/capacity/instance/warm.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { lockBudgets } from "#server/services/ledger/budget/lock.ts";
import { type HoldRefusal, placeHold } from "#server/services/ledger/budget/place-hold.ts";
import { hasSeats } from "#server/services/pricing/offer/has-seats.ts";
import { admitJob } from "./admit.ts";

export type PlaceCloudResult =
	| { kind: "placed"; attemptId: string; instanceIds: string[] }
	| { kind: "stale" }
	| { kind: "over_budget"; refusal: HoldRefusal };

/**
 * Places a job on an offer: reserves the worst case, writes the attempt and an intent for each of its instances, and admits the job, all or
 * nothing. Calls no provider. With `over_budget` nothing was written and the transaction continues.
 */
export async function placeCloud(
	tx: Tx,
	input: {
		jobId: string;
		attemptNo: number;
		offer: Offer;
		/** Machines that must start together: the job's nodes. */
		instances: number;
		/** Expected speed there. Absent: 1. */
		speed?: number;
		lifeMs: number;
		/** Of all instances together. */
		holdMicroUsd: bigint;
		budgets: readonly BudgetRule[];
		/** The machine kept warm that it takes. Absent: it launches its own. */
		warmId?: string;
		/** Worst-case egress, GiB, stored with the attempt as its reservation. */
		egressGiB?: number;
		/** Data sets that each machine reads from another cloud. Absent: none. */
		reads?: readonly DataRead[];
		/** sha256 (hex) of the one-time secret of an instance. */
		bootstrapHashFor(instanceId: string): string;
		reason: Reason;
		nowMs: number;
	},
): Promise<PlaceCloudResult> {
	const { offer, nowMs } = input;
	if ((await wasPlaced(tx, input)) || !(await hasSeats(tx, offer, input.instances))) return { kind: "stale" };
	const attemptId = attemptIdOf(input.jobId, input.attemptNo);
	const { warmId } = input;
	if (warmId !== undefined && !(await lockWarmOf(tx, warmId, input))) return { kind: "stale" };
	const launched = Array.from({ length: input.instances }, (_, rank) => instanceIdOf(input.jobId, input.attemptNo, rank));
	const instanceIds = warmId === undefined ? launched : [warmId];
	const amounts = holdOfEach(offer, input);
	const holds = instanceIds.map((instanceId, rank) => ({ instanceId, amountMicroUsd: rank === 0 ? amounts.first : amounts.other }));
	const held = await placeHold(tx, { holds, budgets: input.budgets, jobId: input.jobId, nowMs });
	if (!held.ok) return { kind: "over_budget", refusal: held };
	const placement: Placement = {
		siteId: offer.siteId,
		provider: offer.provider,
		region: offer.region,
		zone: offer.zone,
		capacityType: offer.capacityType,
		instanceType: offer.instanceType,
		poolId: null,
		accelerator: offer.accelerator,
		...(input.speed !== undefined && { speed: input.speed }),
	};
	const admitted = await admitJob(tx, { jobId: input.jobId, attemptNo: input.attemptNo, placement, reason: input.reason, nowMs });
	if (!admitted) return { kind: "stale" };
	const at = new Date(nowMs);
	await tx.insert(attempt).values({
		id: attemptId,
		jobId: input.jobId,
		number: input.attemptNo,
		placement: {
			...placement,
			...(input.egressGiB !== undefined && { egressGiB: input.egressGiB }),
			...(input.reads && { reads: input.reads }),
		},
		siteId: offer.siteId,
		capacityType: offer.capacityType,
		gpus: offer.gpus * input.instances,
		createdAt: at,
	});
	if (warmId === undefined) {
		const taken = { ...columnsOfOffer(offer), jobId: input.jobId, attemptId, intendedAt: at, expiresAt: new Date(nowMs + input.lifeMs) };
		await tx.insert(instance).values(instanceIds.map((id, rank) => ({ ...taken, id, rank, bootstrapHash: input.bootstrapHashFor(id) })));
	} else await assignWarm(tx, { instanceId: warmId, attemptId, ...input });
	const { siteId, region, zone, instanceType, capacityType } = offer;
	await writeSchedulerAudit(tx, {
		...{ action: "job.place", subject: input.jobId, atMs: nowMs },
		after: {
			...{ attemptId, instanceId: instanceIds[0], siteId, region, zone, instanceType, capacityType, reason: input.reason.code },
			...{ microUsdPerHour: String(offer.microUsdPerHour), holdMicroUsd: String(input.holdMicroUsd), expiresAtMs: nowMs + input.lifeMs },
			...(warmId !== undefined && { keptWarm: true }),
			...(input.instances > 1 ? { instances: input.instances } : {}),
		},
	});
	await notify(tx, { changes: instanceIds.map((id) => ({ topic: "instance", id, team: null })) });
	return { kind: "placed", attemptId, instanceIds };
}

/** Budgets are locked before instances. */
async function lockWarmOf(
	tx: Tx,
	instanceId: string,
	{ budgets, lifeMs, nowMs }: { budgets: readonly BudgetRule[]; lifeMs: number; nowMs: number },
): Promise<boolean> {
	await lockBudgets(
		tx,
		budgets.map(({ id }) => id),
	);
	return lockWarm(tx, { instanceId, lifeMs, nowMs });
}

/** Machine time and the egress of its data for each, and for the first also the egress out of the region, since only its checkpoints are kept. */
function holdOfEach(
	offer: Offer,
	{ instances, lifeMs, holdMicroUsd, reads = [] }: { instances: number; lifeMs: number; holdMicroUsd: bigint; reads?: readonly DataRead[] },
): { first: bigint; other: bigint } {
	const count = BigInt(instances);
	const rent = rentHoldOf(offer, lifeMs, instances);
	const readMicroUsd = BigInt(reads.reduce((sum, { microUsd }) => sum + microUsd, 0));
	const most = rent + readMicroUsd * count;
	const other = (most < holdMicroUsd ? most : holdMicroUsd) / count;
	return { first: holdMicroUsd - (count - 1n) * other, other };
}

/** Whether an earlier plan placed this attempt: its first instance already has a hold. */
async function wasPlaced(tx: Tx, { jobId, attemptNo }: { jobId: string; attemptNo: number }): Promise<boolean> {
	const known = await tx
		.select({ id: hold.id })
		.from(hold)
		.where(eq(hold.instanceId, instanceIdOf(jobId, attemptNo, 0)));
	return known.length > 0;
}
