import { DAY_MS } from "#server/kernel/units.ts";
import type { DiskRate } from "#server/rates/disks.ts";

/** The disk that a launch asked for beside its machine. */
export interface AskedDisk {
	/** The provider's own word: `gp3`, `Premium_LRS`, `pd-balanced`. */
	type: string;
	gib: number;
}

/** A machine's disk in an emulator's own book. */
export interface BookedDisk extends AskedDisk {
	/** What the provider would bill for it by its list, whole micro-dollars; null where the list has no price of it. */
	billedMicroUsd: string | null;
}

/**
 * What a disk costs by the provider's list for the time in which its machine is billed, which is _assumed_ to be the disk's
 * time too: a part of the month for each calendar month (UTC). Computed separately from the ledger's arithmetic, in doubles.
 * `rates`: of the disk's region and type. A rate of a tier is the price of the next larger tier.
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
