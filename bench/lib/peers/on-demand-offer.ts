import { type Offer, offerId } from "#server/domain/capacity.ts";
import { usdToMicro } from "#server/kernel/money.ts";

/** On-demand in one region at a price per machine; instances start together. For peers with a single price and no regions. */
export function onDemandOffer(machine: { accelerator: string; gpus: number; usdPerHour: string; observedAtMs: number }): Offer {
	const { accelerator, gpus, usdPerHour, observedAtMs } = machine;
	const place = { provider: "gcp" as const, region: "peer", zone: null, instanceType: `peer-${gpus}`, capacityType: "on_demand" as const };
	return {
		...place,
		id: offerId(place),
		siteId: "gcp",
		accelerator,
		gpus,
		vcpus: 128,
		memoryGiB: 1024,
		microUsdPerHour: usdToMicro(usdPerHour),
		onDemandMicroUsdPerHour: usdToMicro(usdPerHour),
		priceObservedAtMs: observedAtMs,
		priceSource: "terms of the peer",
		backoffUntilMs: null,
		backoffReason: null,
		egressMicroUsdPerGiB: 0n,
		gridGramsPerKwh: null,
		pue: 1,
		gangs: true,
	};
}
