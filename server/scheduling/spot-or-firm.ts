import type { CloudRun } from "./cost.ts";
import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";
import { stateBeforeStart } from "./spot-guarantee/before-start.ts";
import { chooseWithDeadline } from "./spot-guarantee/choose-with-deadline.ts";
import { SPOT } from "./spot-guarantee/constants.ts";
import { allowsSpotStart, leastStartMarginMs, marginMs } from "./spot-guarantee/safety.ts";
import type { SpotZone } from "./spot-guarantee/types.ts";
import { spotZoneOf } from "./spot-zone.ts";

/** Result of the deadline rule for a job that may leave home now and runs nowhere. */
export type DeadlineDecision = { on: "spot" } | ({ on: "wait"; removal: Removal } & SpotWait);

export interface SpotWait {
	/** Latest end of the wait: then its deadline requires firm capacity. */
	untilMs: number;
	/** When the first of the unavailable spot places is requested again; null: unknown. */
	askAgainMs: number | null;
	/** Number of these places, and their lowest spot price. */
	zones: number;
	spotMicroUsdPerHour: number;
}

export const SPOT_IS_CHEAPEST: Removal = { ruleId: null, why: "spot_is_cheapest", facts: {} };
export const SPOT_TOO_SHORT: Removal = { ruleId: null, why: "spot_too_short", facts: {} };

/** Most up zones, and most unavailable zones, that are considered, cheapest first. More do not change any choice that matters. */
const ZONES_MAX = 8;

/**
 * Spot, firm capacity or waiting for spot, by spot-guarantee/choose-with-deadline.ts, for a job with a deadline, checkpoints and time for a
 * start on spot. Null for any other job, without records of offers, if only one of the two exists, and if the rule chooses firm capacity.
 * Zones are the places where the job may use spot that is cheaper than its cheapest firm capacity.
 * @param rows sorted by ranking price
 * @param leavesFirm the policy lets running work move to cheaper capacity
 * @param blockedBy reasons against a row now, except money
 */
export function deadlineWay(
	rows: readonly OfferRow[],
	run: CloudRun,
	nowMs: number,
	stagingMs: number,
	leavesFirm: boolean,
	blockedBy: (row: OfferRow) => Removal | null,
): DeadlineDecision | null {
	const { deadlineMs, checkpointEveryMs, instances, terms } = run;
	if (deadlineMs === null || checkpointEveryMs === null || !terms.records) return null;
	const before = stateBeforeStart({ atMs: nowMs, deadlineMs, stagingMs, run });
	if (before === null || !allowsSpotStart(before)) return null;
	const { up, away, firm } = marketOf(rows, run, blockedBy);
	const zones = [...up, ...away.map(({ zone }) => zone)];
	if (zones.length === 0 || firm === null) return null;
	const choice = chooseWithDeadline({
		...before,
		zones,
		onDemandMicroUsdPerHour: firm.rankingMicroUsdPerHour,
		delayMicroUsdPerHour: run.delayMicroUsdPerHour / instances,
		leavesFirm,
		lookDelayMs: SPOT.lookDelayMs,
	});
	if (choice.on === "spot") return { on: "spot" };
	const [first] = away;
	// Firm capacity while spot is up: the lowest score includes the cost of rework and stays with spot longer. Following the rule here
	// reduced the cost of the benchmark of policies by 2%, but missed two and a half times as many deadlines (docs/spot.md).
	if (choice.on !== "wait" || !first) return null;
	const untilMs = nowMs + marginMs(before) - leastStartMarginMs(before);
	return {
		on: "wait",
		removal: { ruleId: null, why: "spot_worth_the_wait", facts: { untilMs: Math.round(untilMs) } },
		untilMs,
		askAgainMs: away.reduce<number | null>((least, { untilMs: at }) => (at !== null && (least === null || at < least) ? at : least), null),
		zones: away.length,
		spotMicroUsdPerHour: first.row.microUsdPerHour,
	};
}

interface AwayZone {
	row: OfferRow;
	zone: SpotZone;
	/** Earliest time of the next request. */
	untilMs: number | null;
}

/** The cheapest places with spot, and the cheapest eligible firm row. Anything more expensive is no option. */
function marketOf(
	rows: readonly OfferRow[],
	run: CloudRun,
	blockedBy: (row: OfferRow) => Removal | null,
): { up: SpotZone[]; away: AwayZone[]; firm: OfferRow | null } {
	const up = new Map<string, SpotZone>();
	const away = new Map<string, AwayZone>();
	let firm: OfferRow | null = null;
	for (const row of rows) {
		const isSpot = row.offer.capacityType === "spot";
		// Machine sizes in one place come and go together.
		const place = row.likes[0] ?? row.offer.id;
		if (isSpot && (up.has(place) || up.size >= ZONES_MAX)) continue;
		const removal = blockedBy(row);
		if (!isSpot && removal === null) {
			firm = row;
			break;
		}
		if (!isSpot) continue;
		if (removal === null) {
			up.set(place, spotZoneOf(row, run.terms, true));
			away.delete(place);
		} else if (removal.why === "capacity_backoff" && away.size < ZONES_MAX && !away.has(place)) {
			const untilMs = Number(removal.facts["untilMs"]);
			away.set(place, { row, zone: spotZoneOf(row, run.terms, false), untilMs: Number.isFinite(untilMs) ? untilMs : null });
		}
	}
	return { up: [...up.values()], away: [...away.values()], firm };
}
