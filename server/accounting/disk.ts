import type { Provider } from "#server/domain/vocabulary.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { type BillingTerms, billableMs, UNROUNDED } from "./billing-terms.ts";

/** How a provider rounds the time of a disk. Its price is per calendar month of 28 to 31 days. */
const BY_PROVIDER: Partial<Record<Provider, BillingTerms>> = {
	// "$0.08 per GB-month * 2000 GB * 43,200 seconds / (86,400 seconds/day * 30-day month)"; a month of 31 days has 744
	// hours.
	aws: {
		incrementMs: 1_000,
		rounding: "up",
		minimumMs: 60_000,
		source: "https://aws.amazon.com/ebs/pricing/ (gp3: per second, 60 seconds at least, by the days of the month)",
	},
	// "Prorated based on a granularity of seconds"; the billing catalog's conversion factor is the month's actual number
	// of seconds.
	gcp: {
		incrementMs: 1_000,
		rounding: "up",
		minimumMs: 0,
		source: "https://cloud.google.com/compute/disks-image-pricing (per second, by the month)",
	},
};

/**
 * Azure is exact to the millisecond: "prorated hourly by using the monthly price" (Microsoft Learn, "Azure managed
 * disk types", Billing) gives whole hours as an example and does not specify the cost of a partial hour.
 */
export function diskTermsOf(provider: Provider): BillingTerms {
	return BY_PROVIDER[provider] ?? UNROUNDED;
}

/** One machine's disk, from the launch of the machine to its end. */
export interface DiskUsage {
	microUsdPerMonth: bigint;
	terms: BillingTerms;
}

/** A number divisible by the number of days of every month. */
const DAYS_OF_ANY_MONTH = 4n * 7n * 29n * 3n * 5n * 31n;

/**
 * Cost of the disk by `elapsedMs` after its start: each month's price times the part of the month, summed exactly and
 * rounded down once.
 */
export function diskCostUntil({ microUsdPerMonth, terms }: DiskUsage, startMs: number, elapsedMs: number): bigint {
	return mulDivFloor(microUsdPerMonth, monthParts(startMs, startMs + billableMs(terms, elapsedMs)), MONTH_PARTS).quotient;
}

/** Number of parts per calendar month. */
export const MONTH_PARTS = DAYS_OF_ANY_MONTH * BigInt(DAY_MS);

/** The time in parts of UTC months, exact; every month has MONTH_PARTS, whatever its number of days. */
export function monthParts(fromMs: number, toMs: number): bigint {
	let parts = 0n;
	for (let atMs = fromMs; atMs < toMs; ) {
		const { days, nextMs } = utcMonthAt(atMs);
		const untilMs = Math.min(toMs, nextMs);
		parts += BigInt(untilMs - atMs) * (DAYS_OF_ANY_MONTH / BigInt(days));
		atMs = untilMs;
	}
	return parts;
}

function utcMonthAt(atMs: number): { days: number; nextMs: number } {
	const at = new Date(atMs);
	const fromMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
	const nextMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1);
	return { days: (nextMs - fromMs) / DAY_MS, nextMs };
}

/** February has the most expensive hours. */
const SHORTEST_MONTH_DAYS = 28n;

/** The maximum cost of an hour of the disk in any month, rounded up, for holds and estimates. 0 for a disk without a price. */
export function diskMicroUsdPerHourMax(disk: { microUsdPerMonth: bigint | null } | undefined): bigint {
	const price = disk?.microUsdPerMonth ?? 0n;
	const hours = SHORTEST_MONTH_DAYS * BigInt(DAY_MS / HOUR_MS);
	return (price + hours - 1n) / hours;
}
