/** Speed of data between two places, MiB/s: the median of the next transfer, and the tenth and ninetieth percentiles. */
export interface LinkSpeed {
	mibPerS: number;
	/** A tenth of transfers is slower. */
	lowMiBPerS: number;
	/** A tenth of transfers is faster. */
	highMiBPerS: number;
	/** Number of transfers it was learned from; 0: only published figures. */
	transfers: number;
	/** End of the newest one, UTC ms; null: none. */
	newestAtMs: number | null;
}

export interface MeasuredTransfer {
	bytes: number;
	ms: number;
	atMs: number;
}

/** Shorter and smaller transfers measure latency and start-up, not the link. */
export const LEARNABLE = { bytes: 64 * 1024 ** 2, ms: 5_000 } as const;

/**
 * Published figures, as MiB/s. Median: 1 Gbit/s used at 80 % (100 TB in 12 days, the planning table of AWS Snowball's guide). Low: 100
 * Mbit/s in the same table. High: 5 Gbit/s, an EC2 instance's quota for traffic that leaves its region (Amazon EC2 User Guide, "Instance
 * network bandwidth").
 */
const PUBLISHED = { median: 92, low: 8.9, high: 596 } as const;
/** Standard deviations between the median and the tenth percentile of a normal distribution. */
const TENTH = 1.2816;
const PRIOR_MEAN = Math.log(PUBLISHED.median);
const PRIOR_DEVIATION = (Math.log(PUBLISHED.high) - Math.log(PUBLISHED.low)) / (2 * TENTH);
/** The published figures count as this many transfers. An assumption. */
const PRIOR_WEIGHT = 1;

/**
 * The speed of a link from transfers that are large and long enough, log-normal, starting from published figures. Their weight fades with
 * each transfer.
 */
export function learnLinkSpeed(transfers: readonly MeasuredTransfer[]): LinkSpeed {
	const known = transfers.filter(({ bytes, ms }) => bytes >= LEARNABLE.bytes && ms >= LEARNABLE.ms);
	const logs = known.map(({ bytes, ms }) => Math.log(bytes / 1024 ** 2 / (ms / 1_000)));
	const weight = PRIOR_WEIGHT + logs.length;
	const mean = (PRIOR_WEIGHT * PRIOR_MEAN + logs.reduce((sum, log) => sum + log, 0)) / weight;
	const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, PRIOR_WEIGHT * PRIOR_DEVIATION ** 2);
	const reach = TENTH * Math.sqrt(squares / weight);
	return {
		mibPerS: Math.exp(mean),
		lowMiBPerS: Math.exp(mean - reach),
		highMiBPerS: Math.exp(mean + reach),
		transfers: logs.length,
		newestAtMs: known.length === 0 ? null : Math.max(...known.map(({ atMs }) => atMs)),
	};
}

/** A link without transfers. */
export const UNKNOWN_LINK = learnLinkSpeed([]);

/** The key of a link. `from` is ANY_SOURCE for transfers from anywhere. */
export function linkKey(from: string, to: string): string {
	return `${from} ${to}`;
}

export const ANY_SOURCE = "*";
export const ANY_PLACE = "*";
/** The source of a data set without listed copies: its own address, which names no place. */
const OWN_ADDRESS = "address";

/** Where a data set comes from: a copy at home, where egress is free, else the first listed copy, else its own address. */
export function sourceOf(copies: readonly string[]): string {
	return copies.find((copy) => !copy.includes(":")) ?? copies[0] ?? OWN_ADDRESS;
}
