import type { Offer } from "#server/domain/capacity.ts";
import { CLOUD_PROVIDERS } from "#server/domain/vocabulary.ts";
import { suggestName } from "#server/kernel/nearest-name.ts";
import { matchesGlob } from "#server/policy/match-pattern.ts";
import type { ReplayDataSets, ReplayPool } from "#server/simulation/replay/types.ts";
import type { ScenarioContext } from "./context.ts";

/** Data sets with the places that hold them, and the copy speed into every place that has an offer. */
export function readDataSets({ doc }: ScenarioContext, pools: readonly ReplayPool[], offers: readonly Offer[]): ReplayDataSets {
	const { sets, links, stores: given } = doc.spec.data;
	const places = [...new Set(offers.map((offer) => `${offer.provider}:${offer.region}`))].sort();
	const known = new Set([...pools.map((pool) => pool.id), ...places]);
	const uris = new Set<string>();
	for (const [i, { uri, copies }] of sets.entries()) {
		if (uris.has(uri))
			throw doc.error(["data", "sets", i, "uri"], `there is a data set ${uri} already.`, "Give each data set its own uri.");
		uris.add(uri);
		for (const [j, copy] of copies.entries()) {
			// A region without an offer may hold a copy; anything else must be a pool.
			if (known.has(copy) || CLOUD_PROVIDERS.some((provider) => copy.startsWith(`${provider}:`))) continue;
			throw doc.error(
				["data", "sets", i, "copies", j],
				`there is no pool and no region ${copy}.`,
				suggestName(copy, [...known].slice(0, 50)),
			);
		}
	}
	const inboundMiBPerS = new Map<string, number>();
	for (const place of places) {
		const link = links.find(({ to }) => matchesGlob(to, place));
		if (!link)
			throw doc.error(["data", "links"], `no link says how fast data come to ${place}.`, 'Add one, such as { to: "*", mibPerS: 500 }.');
		inboundMiBPerS.set(place, link.mibPerS);
	}
	const stores = new Map<string, number | null>();
	for (const [i, { at }] of given.entries()) {
		if (!places.some((place) => matchesGlob(at, place)))
			throw doc.error(["data", "stores", i, "at"], `there is no offer in ${at}.`, suggestName(at, places.slice(0, 50)));
	}
	for (const place of places) {
		const store = given.find(({ at }) => matchesGlob(at, place));
		if (store) stores.set(place, store.mibPerS ?? null);
	}
	return { sets, inboundMiBPerS, ...(stores.size > 0 && { stores }) };
}
