import type { Offer } from "#server/domain/capacity.ts";
import type { DataRef, JobSpec } from "#server/domain/job.ts";
import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";
import { outsideResidency } from "./residency.ts";

/** Places that hold a copy of a data set, by its uri. */
export type Copies = ReadonlyMap<string, readonly string[]>;
export const NO_COPIES: Copies = new Map();

/** Only a host of the owned sites can read it. */
export function liesAtHome({ uri }: DataRef): boolean {
	return uri.startsWith("file:");
}

/** Hard rules that no policy has to repeat; each region is looked at once. */
export function residencyOf(spec: JobSpec, copies: Copies): (row: OfferRow) => Removal | null {
	if (spec.data.every((d) => d.residency.length === 0 && !liesAtHome(d))) return () => null;
	const known = new Map<string, Removal | null>();
	return ({ placeKey, offer }) => {
		let removal = known.get(placeKey);
		if (removal === undefined) {
			removal = removalAt(spec.data, offer, copies, placeKey);
			known.set(placeKey, removal);
		}
		return removal;
	};
}

function removalAt(data: readonly DataRef[], { provider, region }: Offer, copies: Copies, place: string): Removal | null {
	const outside = outsideResidency(data, provider, region);
	if (outside) return { ruleId: null, why: "residency", facts: { residency: outside.join(", "), region } };
	const atHome = data.find((d) => liesAtHome(d) && !copies.get(d.uri)?.includes(place));
	return atHome ? { ruleId: null, why: "data_at_home", facts: { uri: atHome.uri } } : null;
}
