import { z } from "zod";
import { assert, defined } from "../kernel/assert.ts";
import { type MicroUsd, usdToMicro } from "../kernel/money.ts";
import raw from "./data/egress.json" with { type: "json" };
import { RATED_PROVIDERS, type RatedProvider } from "./offers.ts";
import { sourceNoteSchema, usdText } from "./source.ts";

export const BYTES_PER_GIB = 1_073_741_824n;

export interface EgressTier {
	fromGiB: number;
	/** null: no upper end. */
	toGiB: number | null;
	microUsdPerGiB: MicroUsd;
}

/** Price of egress to the internet, by the month's volume. The clouds' free 100 GB a month are not counted. */
export interface EgressRate {
	tiers: readonly EgressTier[];
	/** The region that the tiers are for, according to the source. */
	listedRegion: string;
	/**
	 * False: the source has no row for the requested region; these are the cloud's only listed tiers, to be shown as an
	 * assumption.
	 */
	exact: boolean;
	source: string;
	asOf: string;
}

const fileSchema = z.strictObject({
	unit: z.string(),
	sources: z.array(sourceNoteSchema).min(1),
	/** provider, region, from GiB, to GiB, USD per GiB, source */
	rows: z
		.array(
			z.tuple([
				z.enum(RATED_PROVIDERS),
				z.string().min(1),
				z.number().int().nonnegative(),
				z.number().int().positive().nullable(),
				usdText,
				z.string(),
			]),
		)
		.min(1),
});

/** The region with the tiers for regions without a row. Azure is listed for one region. */
const FALLBACK_REGION: Record<RatedProvider, string> = { aws: "us-east-2", azure: "eastus", gcp: "us-central1" };

let byRegion: Map<string, EgressRate> | undefined;

function load(): Map<string, EgressRate> {
	if (byRegion) return byRegion;
	const file = fileSchema.parse(raw);
	const sources = new Map(file.sources.map((source) => [source.id, source]));
	const rates = new Map<string, EgressRate & { tiers: EgressTier[] }>();
	for (const [provider, region, fromGiB, toGiB, usd, sourceId] of file.rows) {
		const source = defined(sources.get(sourceId), `egress source ${sourceId}`);
		const key = `${provider}/${region}`;
		const rate = rates.get(key) ?? { tiers: [], listedRegion: region, exact: true, source: source.title, asOf: source.asOf };
		const microUsdPerGiB = usdToMicro(usd);
		assert(microUsdPerGiB > 0n, `egress from ${key} must have a price above zero`);
		assert(fromGiB === (rate.tiers.at(-1)?.toGiB ?? 0), `the egress tiers of ${key} must follow each other without a gap`);
		rate.tiers.push({ fromGiB, toGiB, microUsdPerGiB });
		rates.set(key, rate);
	}
	for (const [key, rate] of rates) assert(rate.tiers.at(-1)?.toGiB === null, `the last egress tier of ${key} must be open`);
	byRegion = rates;
	return rates;
}

export function internetEgress(provider: RatedProvider, region: string): EgressRate {
	const rates = load();
	const listed = rates.get(`${provider}/${region}`);
	if (listed) return listed;
	return { ...defined(rates.get(`${provider}/${FALLBACK_REGION[provider]}`), `egress of ${provider}`), exact: false };
}

/**
 * The most expensive tier, used for holds: whatever volume a month has had, the next one starts again. For a region without a row it is the
 * most expensive one of the cloud's listed regions.
 */
export function egressMicroUsdPerGiB(provider: RatedProvider, region: string): MicroUsd {
	const listed = internetEgress(provider, region);
	const rates = listed.exact ? [listed] : [...load()].filter(([key]) => key.startsWith(`${provider}/`)).map(([, rate]) => rate);
	let highest = 0n;
	for (const { microUsdPerGiB } of rates.flatMap(({ tiers }) => tiers)) {
		if (microUsdPerGiB > highest) highest = microUsdPerGiB;
	}
	return highest;
}

/** The remaining tiers after `sentBytes` in the month: GiB left at each price (µ$, exact: below 2^53); the last has no end. */
export function egressStepsAfter(rate: EgressRate, sentBytes: bigint): { gib: number | null; microUsdPerGiB: number }[] {
	assert(sentBytes >= 0n, "egress volumes must not be negative");
	const sentGiB = Number(sentBytes) / Number(BYTES_PER_GIB);
	return rate.tiers.flatMap(({ fromGiB, toGiB, microUsdPerGiB: price }) => {
		const gib = toGiB === null ? null : toGiB - Math.max(fromGiB, sentGiB);
		return gib !== null && gib <= 0 ? [] : [{ gib, microUsdPerGiB: Number(price) }];
	});
}

/**
 * The cost of sending `bytes` after `sentBytes` were already sent in the month, rounded up to the micro-dollar once.
 * @throws AssertionError on negative volumes
 */
export function egressCostMicroUsd(rate: EgressRate, bytes: bigint, sentBytes = 0n): MicroUsd {
	assert(bytes >= 0n && sentBytes >= 0n, "egress volumes must not be negative");
	const start = sentBytes;
	const end = sentBytes + bytes;
	let scaled = 0n;
	for (const tier of rate.tiers) {
		const low = BigInt(tier.fromGiB) * BYTES_PER_GIB;
		const high = tier.toGiB === null ? end : BigInt(tier.toGiB) * BYTES_PER_GIB;
		const from = start > low ? start : low;
		const to = end < high ? end : high;
		if (to > from) scaled += (to - from) * tier.microUsdPerGiB;
	}
	return (scaled + BYTES_PER_GIB - 1n) / BYTES_PER_GIB;
}
