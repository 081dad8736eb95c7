import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { Offer, Placement } from "#server/domain/capacity.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { assert } from "#server/kernel/assert.ts";
import { attemptIdOf, instanceIdOf } from "#server/kernel/ids.ts";
import { writeSchedulerAudit } from "../audit.ts";
import { type HoldRefusal, placeHold } from "../budget/place-hold.ts";
import { toStoredOffer } from "../instance/stored-offer.ts";
import { admitJob } from "./admit.ts";

export type PlaceCloudResult =
	| { kind: "placed"; attemptId: string; instanceId: string }
	| { kind: "stale" }
	| { kind: "over_budget"; refusal: HoldRefusal };

/**
 * Places a job on an offer: sets the worst case aside, writes attempt and instance intent and admits the job, all or
 * nothing. No provider was called yet. With `over_budget` nothing was written and the transaction goes on.
 */
export async function placeCloud(
	tx: Tx,
	input: {
		jobId: string;
		attemptNo: number;
		offer: Offer;
		lifeMs: number;
		holdMicroUsd: bigint;
		budgets: readonly BudgetRule[];
		bootstrapHash: string;
		reason: Reason;
		nowMs: number;
	},
): Promise<PlaceCloudResult> {
	const { offer, nowMs } = input;
	assert(offer.microUsdPerHour !== null && offer.microUsdPerHour > 0n, "an offer without a price was chosen");
	const attemptId = attemptIdOf(input.jobId, input.attemptNo);
	const instanceId = instanceIdOf(input.jobId, input.attemptNo, 0);
	const held = await placeHold(tx, { instanceId, amountMicroUsd: input.holdMicroUsd, budgets: input.budgets, nowMs });
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
	};
	const admitted = await admitJob(tx, { jobId: input.jobId, attemptNo: input.attemptNo, placement, reason: input.reason, nowMs });
	if (!admitted) return { kind: "stale" };
	const at = new Date(nowMs);
	await tx.insert(attempt).values({
		id: attemptId,
		jobId: input.jobId,
		number: input.attemptNo,
		placement,
		siteId: offer.siteId,
		capacityType: offer.capacityType,
		gpus: offer.gpus,
		createdAt: at,
	});
	await tx.insert(instance).values({
		id: instanceId,
		siteId: offer.siteId,
		provider: offer.provider,
		region: offer.region,
		zone: offer.zone,
		instanceType: offer.instanceType,
		capacityType: offer.capacityType,
		accelerator: offer.accelerator,
		gpus: offer.gpus,
		offer: toStoredOffer(offer),
		microUsdPerHour: offer.microUsdPerHour,
		jobId: input.jobId,
		attemptId,
		intendedAt: at,
		expiresAt: new Date(nowMs + input.lifeMs),
		bootstrapHash: input.bootstrapHash,
	});
	const { siteId, region, zone, instanceType, capacityType } = offer;
	await writeSchedulerAudit(tx, {
		...{ action: "job.place", subject: input.jobId, atMs: nowMs },
		after: {
			...{ attemptId, instanceId, siteId, region, zone, instanceType, capacityType, reason: input.reason.code },
			...{ microUsdPerHour: String(offer.microUsdPerHour), holdMicroUsd: String(input.holdMicroUsd), expiresAtMs: nowMs + input.lifeMs },
		},
	});
	await notify(tx, { changes: [{ topic: "instance", id: instanceId, team: null }] });
	return { kind: "placed", attemptId, instanceId };
}
