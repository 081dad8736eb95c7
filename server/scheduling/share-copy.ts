import { DAY_MS } from "#server/kernel/units.ts";

/** Reads of the last 30 days stand for those of the next 30 (_assumption_). */
export const SHARING_WINDOW_MS = 30 * DAY_MS;
/** A single job says nothing about later ones. */
const JOBS_LEAST = 2;

/** What machines at one place read of a data set from elsewhere in the last SHARING_WINDOW_MS, and what a copy there would cost. */
export interface SharingFacts {
	/** Jobs that read it. */
	jobs: number;
	/** Egress of all these reads, µ$. */
	egressMicroUsd: number;
	/** How long the copy would count for later jobs, ms. */
	freshMs: number;
	/** Egress of making the copy once, µ$. */
	copyMicroUsd: number;
	/** Storage of the copy, µ$ per calendar month; null: no price. */
	storageMicroUsdPerMonth: number | null;
}

/** Whether a copy pays for itself while it is fresh, for at most SHARING_WINDOW_MS. */
export interface Sharing {
	savedMicroUsd: number;
	/** null: the storage price is unknown. */
	costMicroUsd: number | null;
	isWorth: boolean;
}

/**
 * Compares the egress that a copy of the data set would save with the egress and storage of the copy. Storage of a month counts as 30 days.
 * Without a storage price, or with fewer than two jobs, nothing is worth copying.
 */
export function judgeSharing({ jobs, egressMicroUsd, freshMs, copyMicroUsd, storageMicroUsdPerMonth }: SharingFacts): Sharing {
	const share = Math.min(freshMs, SHARING_WINDOW_MS) / SHARING_WINDOW_MS;
	const savedMicroUsd = Math.floor(egressMicroUsd * share);
	const costMicroUsd = storageMicroUsdPerMonth === null ? null : Math.ceil(copyMicroUsd + storageMicroUsdPerMonth * share);
	return { savedMicroUsd, costMicroUsd, isWorth: jobs >= JOBS_LEAST && costMicroUsd !== null && savedMicroUsd > costMicroUsd };
}
