import type { JobSpec } from "#server/domain/job.ts";
import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";
import { outsideResidency } from "./residency.ts";

/** A hard rule that no policy has to repeat; each region is looked at once. */
export function residencyOf(spec: JobSpec): (row: OfferRow) => Removal | null {
	if (spec.data.every((d) => d.residency.length === 0)) return () => null;
	const known = new Map<string, Removal | null>();
	return ({ placeKey, offer }) => {
		let removal = known.get(placeKey);
		if (removal === undefined) {
			const outside = outsideResidency(spec.data, offer.provider, offer.region);
			removal = outside && { ruleId: null, why: "residency", facts: { residency: outside.join(", "), region: offer.region } };
			known.set(placeKey, removal);
		}
		return removal;
	};
}
