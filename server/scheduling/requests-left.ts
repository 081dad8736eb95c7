import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "./limits.ts";
import type { OfferRow } from "./offers.ts";
import type { RefusedLaunch } from "./types.ts";

/**
 * Until when a job avoids a place because it requested it too often. Per hour it may repeat LIMITS.repeatedAsksPerHour requests
 * to places that refused it within the hour. A place that has not refused it yet is always open. 0: now.
 */
export function countRequestsLeft(refused: readonly RefusedLaunch[] | undefined, nowMs: number): (row: OfferRow) => number {
	if (!refused || refused.length === 0) return () => 0;
	const recent = refused.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
	const repeated = recent.filter(({ offerId }, i) => recent.findIndex((other) => other.offerId === offerId) < i);
	const counts = repeated.slice(-LIMITS.repeatedAsksPerHour);
	if (counts.length < LIMITS.repeatedAsksPerHour) return () => 0;
	const untilMs = (counts[0]?.atMs ?? nowMs) + HOUR_MS;
	const asked = new Set(recent.map(({ offerId }) => offerId));
	return ({ likes, offer }) => (asked.has(offer.id) || likes.some((id) => asked.has(id)) ? untilMs : 0);
}
