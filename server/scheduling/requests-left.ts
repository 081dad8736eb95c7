import { HOUR_MS } from "#server/kernel/units.ts";
import { LIMITS } from "./limits.ts";
import type { OfferRow } from "./offers.ts";
import type { RefusedLaunch } from "./types.ts";

/** Refusals older than this have no effect: a repeat counts for an hour, and repeats a request of the hour before it. */
export const REFUSALS_KEPT_MS = 2 * HOUR_MS;

/**
 * Until when a job avoids a place because of too many requests there. Per hour it may repeat LIMITS.repeatedAsksPerHour requests to places
 * that refused it within the hour. A place that has not refused it yet is always open. 0: now.
 * @param refused refusals within REFUSALS_KEPT_MS, oldest first. A repeat still counts if the request that it repeats is over an hour old.
 */
export function countRequestsLeft(refused: readonly RefusedLaunch[] | undefined, nowMs: number): (row: OfferRow) => number {
	if (!refused || refused.length === 0) return () => 0;
	const recent = refused.filter(({ atMs }) => nowMs - atMs < HOUR_MS);
	const counts = recent.filter(isRepeat(refused)).slice(-LIMITS.repeatedAsksPerHour);
	if (counts.length < LIMITS.repeatedAsksPerHour) return () => 0;
	const untilMs = (counts[0]?.atMs ?? nowMs) + HOUR_MS;
	const asked = new Set(recent.map(({ offerId }) => offerId));
	return ({ likes, offer }) => (asked.has(offer.id) || likes.some((id) => asked.has(id)) ? untilMs : 0);
}

/** Whether the same place refused within the hour before. */
function isRepeat(refused: readonly RefusedLaunch[]): (launch: RefusedLaunch) => boolean {
	return (launch) => refused.some(({ offerId, atMs }) => offerId === launch.offerId && atMs < launch.atMs && launch.atMs - atMs < HOUR_MS);
}
