import type { Offer } from "#server/domain/capacity.ts";
import { type OfferRow, quotaFacts } from "./offers.ts";
import type { Removal } from "./removal.ts";

/** Remaining reserved instances and quotas while a plan is built, so that none is allocated twice. */
export interface ScarceBook {
	/** Why this many instances are no longer available; null if they are, or if it is unknown. */
	lacks(row: OfferRow, instances: number): Removal | null;
	take(row: OfferRow, instances: number): void;
	/** Grows whenever an answer of `lacks` may change. */
	readonly changes: number;
}

export function openScarce(): ScarceBook {
	/** Taken instances, by the pool they come from; taken GPUs or cores, by quota. */
	let taken: { instances: Map<string, number>; units: Map<string, number> } | null = null;
	let changes = 0;
	return {
		get changes() {
			return changes;
		},
		lacks({ offer, quota }, instances) {
			const { reservedFree = null } = offer;
			if (offer.capacityType === "reserved" && reservedFree !== null) {
				const freeInstances = reservedFree - (taken?.instances.get(seatsOf(offer)) ?? 0);
				if (freeInstances < instances) return { ruleId: null, why: "reserved_full", facts: { freeInstances, askedNodes: instances } };
			}
			if (quota === null) return null;
			const free = quota.free - (taken?.units.get(quota.key) ?? 0);
			if (free >= instances * quota.each) return null;
			const freeGpus = quota.each === offer.gpus ? free : Math.max(0, Math.floor(free / Math.max(1, quota.each))) * offer.gpus;
			return { ruleId: null, why: "quota_exceeded", facts: quotaFacts(offer, { freeGpus, askedGpus: instances * offer.gpus }) };
		},
		take({ offer, quota }, instances) {
			if (quota || offer.capacityType === "reserved") changes++;
			taken ??= { instances: new Map(), units: new Map() };
			taken.instances.set(seatsOf(offer), (taken.instances.get(seatsOf(offer)) ?? 0) + instances);
			if (quota) taken.units.set(quota.key, (taken.units.get(quota.key) ?? 0) + instances * quota.each);
		},
	};
}

/** The pool that an offer's machines come from: a commitment without a region has an offer in each region. */
function seatsOf({ id, commitmentId }: Offer): string {
	return commitmentId === undefined ? id : `commitment ${commitmentId}`;
}
