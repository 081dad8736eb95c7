import { HOUR_MS } from "#server/kernel/units.ts";
import { type CostTerms, ratesOn } from "../cost.ts";
import { LIMITS } from "../limits.ts";
import type { OfferRow } from "../offers.ts";
import { type Presence, UNSEEN } from "../spot-guarantee/presence.ts";
import { presenceOf } from "../spot-zone.ts";

const SURE: Presence = { chance: 1, upMs: Number.POSITIVE_INFINITY };

/** Expected values of an offer without our jobs, µ$ and ms. */
export interface Try {
	/** Savings of the move when a machine comes up. */
	savingMicroUsd: number;
	/** Cost to the job if none does, and it restarts where it was. */
	failMicroUsd: number;
	/** Price difference per hour between here and there. */
	cheaperMicroUsdPerHour: number;
}

/** Chance that a launch comes up, and its expected uptime so far. */
export function presenceOn(row: OfferRow, terms: CostTerms, isProven: boolean): Presence {
	if (isProven) return SURE;
	if (!terms.records) return { ...UNSEEN, chance: 0 };
	if (row.offer.capacityType === "spot") return presenceOf(row, terms);
	const { refusalDelayMs } = ratesOn(row, terms);
	return { chance: 1 / (1 + refusalDelayMs / LIMITS.refusedLaunchMs), upMs: Number.POSITIVE_INFINITY };
}

/**
 * Expected savings of trying an offer, µ$; null: it is not tried. Only a request shows whether a machine is available, and a refusal costs
 * a restart. It is tried when that is expected to pay now, and when the loss since the last probe (its expected uptime × the price
 * difference) is at least the cost of a refusal. The second condition spaces tries like inspections of a device with silent failures: the
 * cost of inspecting balances the cost of not knowing.
 */
export function expectedSaving({ chance, upMs }: Presence, given: Try): number | null {
	const { savingMicroUsd, failMicroUsd, cheaperMicroUsdPerHour } = given;
	const expected = Math.floor(chance * savingMicroUsd - (1 - chance) * failMicroUsd);
	if (chance >= 1) return expected;
	return (upMs / HOUR_MS) * cheaperMicroUsdPerHour < failMicroUsd ? null : expected;
}
