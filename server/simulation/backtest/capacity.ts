import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { LaunchRecord } from "./history.ts";

/** A shortage starts this long before the refused launch, because a replay decides at other moments than the live loop did. */
const EARLIER_MS = MINUTE_MS;
/** How long a refusal applies to its offer unless a launch succeeds sooner: the longest pause of the live loop. An assumption. */
const VALID_FOR_MS = HOUR_MS;
/** From this many instance hours on, an offer's own rate is used instead of the rate of all spot offers. */
const OWN_RATE_HOURS = 24;

/** When launches of an offer were refused: from a refused launch to the next successful one, at most an hour after the last refusal. */
export function shortagesOf(launches: readonly LaunchRecord[]): Map<string, { fromMs: number; toMs: number }[]> {
	const byOffer = Map.groupBy(
		launches.filter((l) => l.end === "refused" || l.launchedAtMs !== null),
		(l) => l.offerId,
	);
	const shortages = new Map<string, { fromMs: number; toMs: number }[]>();
	for (const [offerId, own] of byOffer) {
		const spans: { fromMs: number; toMs: number }[] = [];
		let cameUpMs = Number.NEGATIVE_INFINITY;
		for (const { intendedAtMs, end } of own.toSorted((a, b) => a.intendedAtMs - b.intendedAtMs)) {
			const last = spans.at(-1);
			if (end !== "refused") {
				if (last && last.toMs > intendedAtMs) last.toMs = intendedAtMs;
				cameUpMs = intendedAtMs;
			} else if (last && last.toMs > intendedAtMs) last.toMs = intendedAtMs + VALID_FOR_MS;
			else spans.push({ fromMs: Math.max(intendedAtMs - EARLIER_MS, cameUpMs + 1), toMs: intendedAtMs + VALID_FOR_MS });
		}
		if (spans.length > 0) shortages.set(offerId, spans);
	}
	return shortages;
}

export interface SpotRecord {
	instanceHours: number;
	interruptions: number;
	/** By offer id, for all given spot offers. */
	perHour: Map<string, number>;
}

/** How often spot instances were reclaimed: an offer's own rate where there is enough data, the overall rate elsewhere. */
export function spotRecord(launches: readonly LaunchRecord[], spotOfferIds: readonly string[], nowMs: number): SpotRecord {
	const own = new Map<string, { hours: number; interruptions: number }>();
	const all = { hours: 0, interruptions: 0 };
	for (const { spot, offerId, launchedAtMs, endedAtMs, end } of launches) {
		if (!spot || launchedAtMs === null) continue;
		const hours = Math.max(0, Math.min(endedAtMs ?? nowMs, nowMs) - launchedAtMs) / HOUR_MS;
		const its = own.get(offerId) ?? { hours: 0, interruptions: 0 };
		own.set(offerId, its);
		for (const sum of [its, all]) {
			sum.hours += hours;
			sum.interruptions += end === "interrupted" ? 1 : 0;
		}
	}
	const rate = ({ hours, interruptions }: typeof all): number => (hours > 0 ? interruptions / hours : 0);
	const perHour = new Map(
		spotOfferIds.map((id) => {
			const its = own.get(id);
			return [id, rate(its && its.hours >= OWN_RATE_HOURS ? its : all)];
		}),
	);
	return { instanceHours: all.hours, interruptions: all.interruptions, perHour };
}
