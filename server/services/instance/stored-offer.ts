import type { StoredOffer } from "#server/db/schema/instance.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { assert } from "#server/kernel/assert.ts";

/** The offer as it was taken, in the form that the row keeps. */
export function toStoredOffer(offer: Offer): StoredOffer {
	assert(offer.microUsdPerHour !== null, "only an offer with a price can be taken");
	return {
		...offer,
		microUsdPerHour: offer.microUsdPerHour.toString(),
		onDemandMicroUsdPerHour: offer.onDemandMicroUsdPerHour?.toString() ?? null,
		egressMicroUsdPerGiB: offer.egressMicroUsdPerGiB.toString(),
	};
}
