import type { PassedOver } from "./best-offer.ts";
import { makeBlockedBy } from "./blocked-by.ts";
import type { BudgetBook } from "./budget.ts";
import type { CloudRun } from "./cost.ts";
import { lifeTooShortAnywhere } from "./length-removals.ts";
import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";
import type { ScarceBook } from "./scarce.ts";
import type { PendingJob } from "./types.ts";

/** No offer can be used now. */
export type NoOffer =
	/** Every eligible offer is in back-off until `untilMs` or later. */
	| { kind: "backed_off"; untilMs: number; passedOver: readonly PassedOver[] }
	/**
	 * `main`: the reason against the best offer that hardware, rules and price allow, and the number of offers that it excludes; null if
	 * there is no such offer.
	 */
	| { kind: "none"; main: (Removal & { count: number }) | null; passedOver: readonly PassedOver[] };

/** @param passedOver every eligible offer with the reason against it, by ranking price */
export function noOfferNow(passedOver: readonly PassedOver[]): NoOffer {
	const lasting = passedOver.find(({ removal }) => removal.why !== "capacity_backoff")?.removal;
	if (lasting) {
		const count = passedOver.reduce((sum, { removal }) => sum + (removal.why === lasting.why ? 1 : 0), 0);
		return { kind: "none", main: { ...lasting, count }, passedOver };
	}
	if (passedOver.length === 0) return { kind: "none", main: null, passedOver };
	const untilMs = passedOver.reduce((min, { removal }) => Math.min(min, Number(removal.facts["untilMs"])), Number.POSITIVE_INFINITY);
	return { kind: "backed_off", untilMs, passedOver };
}

/** Results for one state of the scarce capacity, by the list of eligible offers, then by the reason that excludes all of them. */
interface Known {
	changes: number;
	byRows: Map<readonly OfferRow[], Map<string, NoOffer>>;
}

const known = new WeakMap<ScarceBook, Known>();

/**
 * The result for a job that no machine could run within its life, without a search; null if the reasons differ between offers. Jobs of one
 * kind and length share it, unless an offer refused them earlier.
 */
export function noOfferLasts(
	eligible: readonly OfferRow[],
	job: PendingJob,
	run: CloudRun,
	budgets: BudgetBook,
	nowMs: number,
): NoOffer | null {
	const removal = lifeTooShortAnywhere(run, job);
	if (!removal) return null;
	const isAlone = job.avoidOffers.length > 0 || (job.refused?.length ?? 0) > 0;
	const shared = isAlone ? new Map<string, NoOffer>() : sharedBy(eligible, budgets.scarce);
	const key = JSON.stringify([removal.facts, run.instances]);
	const found = shared.get(key);
	if (found) return found;
	const blockedBy = makeBlockedBy(job, run, budgets, nowMs, null);
	const fresh = noOfferNow(eligible.map((row) => ({ row, removal: blockedBy(row) ?? removal })));
	shared.set(key, fresh);
	return fresh;
}

function sharedBy(eligible: readonly OfferRow[], scarce: ScarceBook): Map<string, NoOffer> {
	let now = known.get(scarce);
	if (now?.changes !== scarce.changes) {
		now = { changes: scarce.changes, byRows: new Map() };
		known.set(scarce, now);
	}
	const shared = now.byRows.get(eligible) ?? new Map<string, NoOffer>();
	now.byRows.set(eligible, shared);
	return shared;
}
