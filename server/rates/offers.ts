import { z } from "zod";
import { assert, defined } from "../kernel/assert.ts";
import { type MicroUsd, usdToMicro } from "../kernel/money.ts";
import { acceleratorName } from "./accelerators.ts";
import awsRaw from "./data/aws-offers.json" with { type: "json" };
import azureRaw from "./data/azure-offers.json" with { type: "json" };
import gcpRaw from "./data/gcp-offers.json" with { type: "json" };
import { type SourceNote, sourceNoteSchema, usdText } from "./source.ts";

export const RATED_PROVIDERS = ["aws", "azure", "gcp"] as const;
export type RatedProvider = (typeof RATED_PROVIDERS)[number];

/** How often AWS reclaimed machines of this kind in a month, as buckets of its Spot Advisor. */
export const INTERRUPTION_BUCKETS = ["<5%", "5-10%", "10-15%", "15-20%", ">20%"] as const;

/** Accelerators that are not GPUs but have prices in the snapshot. */
const TPU_NAMES = ["TPU-v5p", "TPU-v6e"] as const;
export type TpuName = (typeof TPU_NAMES)[number];
const offerAccelerator = z.union([acceleratorName, z.enum(TPU_NAMES)]);
export type OfferAccelerator = z.infer<typeof offerAccelerator>;

/** The hourly price of one instance, with the day it applied to. */
export interface ListedPrice {
	microUsdPerHour: MicroUsd;
	/** YYYY-MM-DD */
	asOf: string;
	source: string;
	/** True when computed (for AWS: on-demand × (1 − advisor's savings)), not observed. */
	estimate: boolean;
}

/** One instance type in one region (zone null) or one of its zones. Never both for the same type and region. */
export interface OfferRate {
	provider: RatedProvider;
	instanceType: string;
	region: string;
	/** Zone name, e.g. `us-east-1b`. For AWS the letter follows the zone id by convention: az1 = a. */
	zone: string | null;
	/** AWS zone id, e.g. `use1-az2`: the same place in every account. */
	zoneId: string | null;
	accelerator: OfferAccelerator;
	gpus: number;
	vcpus: number;
	memoryGiB: number;
	onDemand: ListedPrice;
	/** null: no spot price is known there, or AWS reported none below on-demand (no spare capacity). */
	spot: ListedPrice | null;
	interruptionRate: (typeof INTERRUPTION_BUCKETS)[number] | null;
}

const fileSchema = z.strictObject({
	provider: z.enum(RATED_PROVIDERS),
	sources: z.array(sourceNoteSchema).min(1),
	types: z.record(z.string(), z.tuple([offerAccelerator, z.number().int().positive(), z.number().int().positive(), z.number().positive()])),
	/** instance type, region, zone, zone id, on-demand USD/h, its source, spot USD/h, its source, interruption bucket */
	rows: z
		.array(
			z.tuple([
				z.string().min(1),
				z.string().min(1),
				z.string().nullable(),
				z.string().nullable(),
				usdText,
				z.string(),
				usdText.nullable(),
				z.string().nullable(),
				z.enum(INTERRUPTION_BUCKETS).nullable(),
			]),
		)
		.min(1),
});
type OfferFile = z.infer<typeof fileSchema>;

/**
 * Validates a snapshot file and returns its rows.
 * @throws ZodError or AssertionError when the file has an invalid form or an unusable price
 */
export function readOfferFile(raw: unknown): OfferRate[] {
	const file = fileSchema.parse(raw);
	const sources = new Map(file.sources.map((source) => [source.id, source]));
	return file.rows.map((row) => readRow(file, sources, row));
}

function readRow(file: OfferFile, sources: Map<string, SourceNote>, row: OfferFile["rows"][number]): OfferRate {
	const [instanceType, region, zone, zoneId, onDemandUsd, onDemandSource, spotUsd, spotSource, interruptionRate] = row;
	const where = `${file.provider} ${instanceType} in ${zone ?? region}`;
	const [acc, gpus, vcpus, memoryGiB] = defined(file.types[instanceType], `type of ${where}`);
	const price = (usd: string, sourceId: string | null): ListedPrice => {
		const source = defined(sources.get(sourceId ?? ""), `price source of ${where}`);
		const microUsdPerHour = usdToMicro(usd);
		assert(microUsdPerHour > 0n, `the price of ${where} must be above zero`);
		return { microUsdPerHour, asOf: source.asOf, source: source.title, estimate: source.estimate ?? false };
	};
	const onDemand = price(onDemandUsd, onDemandSource);
	const spot = spotUsd === null ? null : price(spotUsd, spotSource);
	assert(spot === null || spot.microUsdPerHour < onDemand.microUsdPerHour, `spot must be below on-demand for ${where}`);
	return {
		provider: file.provider,
		instanceType,
		region,
		zone,
		zoneId,
		accelerator: acc,
		gpus,
		vcpus,
		memoryGiB,
		onDemand,
		spot,
		interruptionRate,
	};
}

interface Index {
	rates: readonly OfferRate[];
	byKey: Map<string, OfferRate>;
	regions: readonly string[];
	instanceTypes: readonly string[];
}
const RAW: Record<RatedProvider, unknown> = { aws: awsRaw, azure: azureRaw, gcp: gcpRaw };
const indexes = new Map<RatedProvider, Index>();

function keyOf(instanceType: string, region: string, zone: string | null): string {
	return `${instanceType}|${region}|${zone ?? "*"}`;
}

function load(provider: RatedProvider): Index {
	const known = indexes.get(provider);
	if (known) return known;
	const rates = readOfferFile(RAW[provider]);
	const byKey = new Map(rates.map((rate) => [keyOf(rate.instanceType, rate.region, rate.zone), rate]));
	assert(byKey.size === rates.length, `${provider}-offers.json lists an offer twice`);
	const named = (of: (rate: OfferRate) => string): string[] => [...new Set(rates.map(of))].sort();
	const index = { rates, byKey, regions: named(({ region }) => region), instanceTypes: named(({ instanceType }) => instanceType) };
	indexes.set(provider, index);
	return index;
}

/** All offers of a cloud in the snapshot, by instance type, region and zone. The array is shared: do not change it. */
export function listOffers(provider: RatedProvider): readonly OfferRate[] {
	return load(provider).rates;
}

/** One offer. A zone without its own row uses its region's row. null: not in the snapshot. */
export function findOffer(provider: RatedProvider, instanceType: string, region: string, zone: string | null): OfferRate | null {
	const { byKey } = load(provider);
	return byKey.get(keyOf(instanceType, region, zone)) ?? byKey.get(keyOf(instanceType, region, null)) ?? null;
}

export function offerRegions(provider: RatedProvider): readonly string[] {
	return load(provider).regions;
}

/** The types to query from a cloud; no offer is created for any other. */
export function offerInstanceTypes(provider: RatedProvider): readonly string[] {
	return load(provider).instanceTypes;
}
