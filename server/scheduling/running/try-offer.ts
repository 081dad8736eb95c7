import { HOUR_MS } from "#server/kernel/units.ts";
import { type CostTerms, ratesOn } from "../cost.ts";
import { LIMITS } from "../limits.ts";
import type { OfferRow } from "../offers.ts";
import { type Presence, UNSEEN } from "../spot-guarantee/presence.ts";
import { presenceOf } from "../spot-zone.ts";

const SURE: Presence = { chance: 1, upMs: Number.POSITIVE_INFINITY };

/** What is expected of an offer that runs none of our jobs, µ$ and ms. */
export interface Try {
	/** What the move saves when a machine comes up. */
	savingMicroUsd: number;
	/** What the job pays when none does, and it starts again where it was. */
	failMicroUsd: number;
	/** What an hour there costs less than an hour here. */
	cheaperMicroUsdPerHour: number;
}

/** Chance that a launch comes up, and for how long it would have by now. */
export function presenceOn(row: OfferRow, terms: CostTerms, isProven: boolean): Presence {
	if (isProven) return SURE;
	if (!terms.records) return { ...UNSEEN, chance: 0 };
	if (row.offer.capacityType === "spot") return presenceOf(row, terms);
	const { refusalDelayMs } = ratesOn(row, terms);
	return { chance: 1 / (1 + refusalDelayMs / LIMITS.refusedLaunchMs), upMs: Number.POSITIVE_INFINITY };
}

/**
 * What trying an offer is expected to save, µ$; null: it is not tried. Whether a machine can be had is known only by asking, and a
 * refusal costs a restart. It is tried when that is expected to pay now, and when what was missed since the last look
 * (the time for which it is expected to have been up, at the difference in price) is worth as much as a refusal costs. The second
 * condition spaces tries as inspections of a thing that fails unseen are spaced: the cost of looking balances that of not knowing.
 */
export function expectedSaving({ chance, upMs }: Presence, given: Try): number | null {
	const { savingMicroUsd, failMicroUsd, cheaperMicroUsdPerHour } = given;
	const expected = Math.floor(chance * savingMicroUsd - (1 - chance) * failMicroUsd);
	if (chance >= 1) return expected;
	return (upMs / HOUR_MS) * cheaperMicroUsdPerHour < failMicroUsd ? null : expected;
}
