import { offerId } from "#server/domain/capacity.ts";
import type { OfferObservation } from "../driver.ts";

/** An offer with invented prices, for tests: by default a small GPU machine. */
export function fakeOffer(changes: Partial<Omit<OfferObservation, "id">> = {}): OfferObservation {
	const offer = {
		siteId: "aws",
		provider: "aws",
		region: "us-east-1",
		zone: null,
		instanceType: "g5.xlarge",
		accelerator: "A10G-24GB",
		gpus: 1,
		vcpus: 4,
		memoryGiB: 16,
		capacityType: "on_demand",
		microUsdPerHour: 1_000_000n,
		onDemandMicroUsdPerHour: 1_000_000n,
		priceObservedAtMs: 0,
		priceSource: "invented for tests",
		...changes,
	} satisfies Omit<OfferObservation, "id">;
	return { ...offer, id: offerId(offer) };
}
