import type { Offer } from "#server/domain/capacity.ts";
import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";

/** What is left of reserved instances and of quotas while a plan is being made: nothing is promised twice. */
export interface ScarceBook {
	/** Why so many instances cannot be had any more; null when they can, or nobody knows. */
	lacks(row: OfferRow, instances: number): Removal | null;
	take(row: OfferRow, instances: number): void;
}

export function openScarce(): ScarceBook {
	/** Instances by what they are taken of, GPUs by quota. */
	const instancesTaken = new Map<string, number>();
	const gpusTaken = new Map<string, number>();
	return {
		lacks({ offer, quota }, instances) {
			const { reservedFree = null } = offer;
			if (offer.capacityType === "reserved" && reservedFree !== null) {
				const freeInstances = reservedFree - (instancesTaken.get(seatsOf(offer)) ?? 0);
				if (freeInstances < instances) return { ruleId: null, why: "reserved_full", facts: { freeInstances, askedNodes: instances } };
			}
			if (quota === null) return null;
			const freeGpus = quota.gpusFree - (gpusTaken.get(quota.key) ?? 0);
			const askedGpus = instances * offer.gpus;
			return freeGpus < askedGpus ? { ruleId: null, why: "quota_exceeded", facts: { freeGpus, askedGpus } } : null;
		},
		take({ offer, quota }, instances) {
			instancesTaken.set(seatsOf(offer), (instancesTaken.get(seatsOf(offer)) ?? 0) + instances);
			if (quota) gpusTaken.set(quota.key, (gpusTaken.get(quota.key) ?? 0) + instances * offer.gpus);
		},
	};
}

/** Whose machines an offer gives out: a commitment without a region is an offer in each of them. */
function seatsOf({ id, commitmentId }: Offer): string {
	return commitmentId === undefined ? id : `commitment ${commitmentId}`;
}
