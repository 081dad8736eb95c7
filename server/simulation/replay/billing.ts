import type { Offer } from "#server/domain/capacity.ts";
import { costOfElapsed, costOfInterval } from "#server/kernel/money.ts";
import type { ReplayScenario } from "./types.ts";

/** Price of one instance of an offer at a moment; null if unknown. */
export function priceAt(scenario: Pick<ReplayScenario, "prices">, offer: Offer, atMs: number): bigint | null {
	const changes = scenario.prices.get(offer.id);
	if (!changes) return offer.microUsdPerHour;
	const next = firstAfter(changes, atMs);
	return next === 0 ? offer.microUsdPerHour : (changes[next - 1]?.microUsdPerHour ?? offer.microUsdPerHour);
}

/** Index of the first change after a moment, or the number of changes if there is none. */
export function firstAfter(changes: readonly { atMs: number }[], atMs: number): number {
	let low = 0;
	for (let high = changes.length; low < high; ) {
		const middle = (low + high) >> 1;
		if ((changes[middle]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * Cost of `instances` of an offer from launch to end, billed by the second or finer at the prices in effect. Each start costs at least the
 * offer's minimum billed time; time on machines that already ran (`continues`) is no new start. `add` receives the parts by calendar month (UTC), `month` as months since year 0.
 */
export function rentOf(
	scenario: Pick<ReplayScenario, "prices">,
	rent: { offer: Offer; instances: number; fromMs: number; toMs: number; continues?: boolean },
	add: (month: number, microUsd: bigint) => void,
): bigint {
	const { offer, instances, fromMs } = rent;
	const toMs = Math.max(rent.toMs, fromMs + (rent.continues ? 0 : (offer.billedMinimumMs ?? 0)));
	const changes = scenario.prices.get(offer.id);
	const count = BigInt(instances);
	const part = (price: bigint | null, from: number, to: number): bigint => {
		let total = 0n;
		for (let at = from; at < to; ) {
			const until = Math.min(to, monthEnd(at));
			const microUsd =
				count * (at === from && until === to ? costOfElapsed(price ?? 0n, to - from) : costOfInterval(price ?? 0n, from, at, until));
			add(monthOf(at), microUsd);
			total += microUsd;
			at = until;
		}
		return total;
	};
	if (!changes || changes.length === 0) return part(offer.microUsdPerHour, fromMs, toMs);
	let total = 0n;
	let atMs = fromMs;
	for (let i = firstAfter(changes, fromMs); i < changes.length; i++) {
		const change = changes[i];
		if (!change || change.atMs >= toMs) break;
		total += part(priceAt(scenario, offer, atMs), atMs, change.atMs);
		atMs = change.atMs;
	}
	return total + part(priceAt(scenario, offer, atMs), atMs, toMs);
}

/** Calendar months since year 0, UTC. */
export function monthOf(atMs: number): number {
	const date = new Date(atMs);
	return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export function monthEnd(atMs: number): number {
	const date = new Date(atMs);
	return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
