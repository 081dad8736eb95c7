import type { StoredOffer } from "#server/db/schema/instance.ts";
import type { StoredDisk } from "#server/db/schema/offer.ts";
import type { MachineDisk, Offer } from "#server/domain/capacity.ts";
import { assert } from "#server/kernel/assert.ts";

/** The offer as chosen at launch, in the form stored in the row. */
export function toStoredOffer(offer: Offer): StoredOffer {
	assert(offer.microUsdPerHour !== null, "only an offer with a price can be taken");
	const { disk, listMicroUsdPerHour, ...rest } = offer;
	return {
		...rest,
		...(disk && { disk: toStoredDisk(disk) }),
		...(listMicroUsdPerHour !== undefined && { listMicroUsdPerHour: listMicroUsdPerHour.toString() }),
		microUsdPerHour: offer.microUsdPerHour.toString(),
		onDemandMicroUsdPerHour: offer.onDemandMicroUsdPerHour?.toString() ?? null,
		egressMicroUsdPerGiB: offer.egressMicroUsdPerGiB.toString(),
	};
}

export function toStoredDisk(disk: MachineDisk): StoredDisk {
	return { ...disk, microUsdPerMonth: disk.microUsdPerMonth?.toString() ?? null };
}

export function fromStoredDisk(disk: StoredDisk): MachineDisk {
	return { ...disk, microUsdPerMonth: disk.microUsdPerMonth === null ? null : BigInt(disk.microUsdPerMonth) };
}
