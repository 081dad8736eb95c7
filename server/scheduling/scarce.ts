import type { OfferRow } from "./offers.ts";
import type { Removal } from "./removal.ts";
import type { RunningAttempt } from "./types.ts";

/** What is left of reserved instances, of quotas and of trials while a plan is being made: nothing is promised twice. */
export interface ScarceBook {
	/** A launch there, of this plan or still starting, whose answer is awaited. */
	awaited(row: OfferRow): boolean;
	/** Why so many instances cannot be had any more; null when they can, or nobody knows. */
	lacks(row: OfferRow, instances: number): Removal | null;
	take(row: OfferRow, instances: number): void;
}

export function openScarce(running: readonly RunningAttempt[] = []): ScarceBook {
	let starting: ReadonlySet<string> | null = null;
	/** Instances by offer, GPUs by quota. */
	const instancesTaken = new Map<string, number>();
	const gpusTaken = new Map<string, number>();
	return {
		awaited({ offer }) {
			starting ??= new Set(running.flatMap((a) => (a.startedAtMs === null && a.offerId ? [a.offerId] : [])));
			return starting.has(offer.id) || instancesTaken.has(offer.id);
		},
		lacks({ offer, quota }, instances) {
			const { reservedFree = null } = offer;
			if (offer.capacityType === "reserved" && reservedFree !== null) {
				const freeInstances = reservedFree - (instancesTaken.get(offer.id) ?? 0);
				if (freeInstances < instances) return { ruleId: null, why: "reserved_full", facts: { freeInstances, askedNodes: instances } };
			}
			if (quota === null) return null;
			const freeGpus = quota.gpusFree - (gpusTaken.get(quota.key) ?? 0);
			const askedGpus = instances * offer.gpus;
			return freeGpus < askedGpus ? { ruleId: null, why: "quota_exceeded", facts: { freeGpus, askedGpus } } : null;
		},
		take({ offer, quota }, instances) {
			instancesTaken.set(offer.id, (instancesTaken.get(offer.id) ?? 0) + instances);
			if (quota) gpusTaken.set(quota.key, (gpusTaken.get(quota.key) ?? 0) + instances * offer.gpus);
		},
	};
}
