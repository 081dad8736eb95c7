import type { BudgetBook } from "./budget.ts";
import type { BurstLimit } from "./burst.ts";
import { backoffOf, type CloudRun, dataOutOfReach, estimateOf, stagingOn } from "./cost.ts";
import { dataTooSlow, endsTooSoon, lifeTooShort, tooSlow } from "./length-removals.ts";
import { backoffRemoval, type OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";
import { countRequestsLeft } from "./requests-left.ts";
import type { PendingJob } from "./types.ts";

/** Reasons against an eligible row now, except money. */
export function makeBlockedBy(
	job: PendingJob,
	run: CloudRun,
	budgets: BudgetBook,
	nowMs: number,
	atMost: readonly BurstLimit[] | null,
): (row: OfferRow) => Removal | null {
	const avoided = avoidedBy(job, nowMs);
	const requestsLeft = countRequestsLeft(job.refused, nowMs);
	const unfit = makeUnfit(run, job, nowMs, atMost);
	return (row) => {
		const avoidedUntilMs = Math.max(avoided.get(row.offer.id) ?? 0, requestsLeft(row));
		const backoffUntilMs = backoffOf(row, run.terms.records);
		if (Math.max(avoidedUntilMs, backoffUntilMs) > nowMs) {
			return backoffRemoval(Math.max(avoidedUntilMs, backoffUntilMs), avoidedUntilMs > backoffUntilMs ? null : row.offer.backoffReason);
		}
		const uri = dataOutOfReach(row, run);
		if (uri !== null) return { ruleId: null, why: "data_at_home", facts: { uri } };
		return budgets.scarce.lacks(row, run.instances) ?? unfit(row);
	};
}

const NONE_AVOIDED: ReadonlyMap<string, number> = new Map();

/** Offers that failed this job recently, with the end of their back-off. */
function avoidedBy(job: PendingJob, nowMs: number): ReadonlyMap<string, number> {
	if (job.avoidOffers.length === 0) return NONE_AVOIDED;
	return new Map(job.avoidOffers.filter((a) => a.untilMs > nowMs).map((a) => [a.offerId, a.untilMs]));
}

/** Why the run does not fit on a row. Without data and speeds, rows that do not end themselves differ in price alone and share one answer. */
export function makeUnfit(
	run: CloudRun,
	job: PendingJob,
	nowMs: number,
	atMost: readonly BurstLimit[] | null,
): (row: OfferRow) => Removal | null {
	const differ = run.speeds !== null || run.data.length > 0;
	let ofMost: Removal | null | undefined;
	return (row) => {
		if (differ || (row.offer.availableUntilMs ?? null) !== null)
			return (
				tooSlow(row, run, job) ??
				dataTooSlow(row, run, job, nowMs) ??
				lifeTooShort(row, run, job) ??
				endsTooSoon(row, run, nowMs) ??
				overLimits(row, run, atMost)
			);
		if (ofMost === undefined) ofMost = lifeTooShort(row, run, job);
		return ofMost ?? overLimits(row, run, atMost);
	};
}

/** Limits of the rules that let the job leave. Meeting one rule's limits is enough. The first rule's limits give the reason. */
function overLimits(row: OfferRow, run: CloudRun, atMost: readonly BurstLimit[] | null): Removal | null {
	if (atMost === null) return null;
	const { totalMicroUsd } = estimateOf(row, run);
	const { moveGiB } = stagingOn(row, run);
	let first: Removal | null = null;
	for (const { ruleId, costMicroUsd, dataGiB } of atMost) {
		const overCost = costMicroUsd !== null && BigInt(totalMicroUsd) > costMicroUsd;
		if (!overCost && !(dataGiB !== null && moveGiB > dataGiB)) return null;
		first ??= overCost
			? { ruleId, why: "burst_cost_limit", facts: { costMicroUsd: String(totalMicroUsd), atMostMicroUsd: String(costMicroUsd) } }
			: { ruleId, why: "burst_data_limit", facts: { dataGiB: Number.isFinite(moveGiB) ? moveGiB : null, atMostGiB: dataGiB } };
	}
	return first;
}
