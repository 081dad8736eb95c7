import { DAY_MS } from "#server/kernel/units.ts";
import type { DiskRate } from "#server/rates/disks.ts";

/** The additional disk that a launch requested. */
export interface AskedDisk {
	/** The provider's name: `gp3`, `Premium_LRS`, `pd-balanced`. */
	type: string;
	gib: number;
}

/** A machine's disk in an emulator's own records. */
export interface BookedDisk extends AskedDisk {
	/** What the provider would bill for it at list price, in whole micro-dollars; null if the list has no price for it. */
	billedMicroUsd: string | null;
}

/**
 * Computes a disk's cost at list price for the time in which its machine is billed, which is _assumed_ to be the disk's time too:
 * a fraction of the month for each calendar month (UTC). It is computed in doubles, independently of the ledger's arithmetic.
 * `rates`: for the disk's region and type. A tier's rate is the price of the next larger tier.
 */
export function bookedDisk(asked: AskedDisk, rates: readonly DiskRate[], time: { fromMs: number | null; billedMs: number }): BookedDisk {
	const perMonth = microUsdPerMonth(asked, rates);
	if (perMonth === null) return { ...asked, billedMicroUsd: null };
	let billed = 0;
	for (let atMs = time.fromMs ?? 0, endMs = atMs + time.billedMs; atMs < endMs; ) {
		const day = new Date(atMs);
		const daysOfMonth = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
		const untilMs = Math.min(endMs, (Math.floor(atMs / DAY_MS) + 1) * DAY_MS);
		billed += (perMonth * (untilMs - atMs)) / (daysOfMonth * DAY_MS);
		atMs = untilMs;
	}
	return { ...asked, billedMicroUsd: String(Math.round(billed)) };
}

function microUsdPerMonth({ gib }: AskedDisk, rates: readonly DiskRate[]): number | null {
	const [perGib] = rates.filter(({ tierGib }) => tierGib === null);
	if (perGib) return Number(perGib.microUsdPerMonth) * gib;
	const tiers = rates.flatMap(({ tierGib, microUsdPerMonth: price }) => (tierGib !== null && tierGib >= gib ? [{ tierGib, price }] : []));
	const [tier] = tiers.sort((a, b) => a.tierGib - b.tierGib);
	return tier ? Number(tier.price) : null;
}
