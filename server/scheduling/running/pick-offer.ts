import type { Offer } from "#server/domain/capacity.ts";
import { chooseOffer, takeChoice } from "../choose-offer.ts";
import { type CloudRun, cloudRunOf, estimateOf, scoreOf, stagingOn } from "../cost.ts";
import type { OfferRow } from "../offers.ts";
import { queuedJob } from "../order.ts";
import type { RunningAttempt, TimeSpread } from "../types.ts";
import type { RunningInput } from "./types.ts";

/** The offer where a running job would continue. */
export interface PickedOffer {
	row: OfferRow;
	offer: Offer;
	run: CloudRun;
	/** Time until its data is on the machine there, ms. */
	stagingMs: number;
	/** Expected cost from its launch to the end of the job, µ$ in plain numbers. */
	totalMicroUsd: number;
	/**
	 * Additional score of the same work on its current offer, µ$ in plain numbers: price, rework and its delay by both records.
	 * null: that offer is not among the job's eligible offers.
	 */
	advantageMicroUsd: number | null;
	holdMicroUsd: bigint;
	/** Deducts its worst case from the budgets. */
	take: () => void;
}

/**
 * The same choice as for a pending job, for the remaining work: policy, prices, back-off, approvals and budgets all apply. An
 * approval of the old placement is not carried over. Excludes its current offer and, with `kinds` "firm", spot.
 */
export function pickOffer(
	input: RunningInput,
	attempt: RunningAttempt,
	completedMs: number,
	rest: TimeSpread,
	kinds: "any" | "firm" = "any",
	passedOver: readonly string[] = [],
): PickedOffer | null {
	const { snapshot } = input;
	const shape = input.shapeOf(attempt.spec);
	const never = (offerId: string) => ({ offerId, untilMs: Number.POSITIVE_INFINITY });
	const avoided = [...passedOver, ...(attempt.offerId ? [attempt.offerId] : [])].map(never);
	if (kinds === "firm") for (const { offer } of shape.offers().eligible) if (offer.capacityType === "spot") avoided.push(never(offer.id));
	const job = {
		jobId: attempt.jobId,
		spec: attempt.spec,
		state: "queued" as const,
		submittedAtMs: attempt.placedAtMs,
		pendingSinceMs: snapshot.nowMs,
		nextAttemptNo: 0,
		completedMs,
		...(attempt.completedByClockMs !== undefined && { completedByClockMs: byClock(attempt, completedMs) }),
		...(attempt.checkpointGiB !== undefined && { checkpointGiB: attempt.checkpointGiB }),
		avoidOffers: avoided,
		...(attempt.refused !== undefined && { refused: attempt.refused }),
		approvedMicroUsd: null,
	};
	const run = {
		...cloudRunOf(queuedJob(job, rest, snapshot.nowMs), shape.verdict, snapshot, input.runTimeOf(attempt.spec)),
		mayWait: false,
	};
	const choice = chooseOffer(shape, job, run, input.budgets, input.askApproval, snapshot.nowMs);
	if (choice.kind !== "chosen") return null;
	const { row, holdMicroUsd } = choice;
	const { totalMicroUsd } = estimateOf(row, run);
	const here = attempt.offerId ? shape.offers().byId(attempt.offerId) : undefined;
	const advantageMicroUsd = here ? scoreOf(here, run) - scoreOf(row, run) : null;
	return {
		row,
		offer: row.offer,
		run,
		stagingMs: stagingOn(row, run).ms,
		totalMicroUsd,
		advantageMicroUsd,
		holdMicroUsd,
		take: () => takeChoice(input.budgets, shape.verdict, choice, run),
	};
}

/** The shortest wall-clock time for the work done so far, excluding the work that the attempt started with. */
function byClock({ completedMs: beforeMs, completedByClockMs = beforeMs, speed = 1 }: RunningAttempt, completedMs: number): number {
	return completedByClockMs + Math.max(0, completedMs - beforeMs) / Math.max(1, speed);
}
