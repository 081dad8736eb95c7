import {
	DescribeSpotPriceHistory$,
	type DescribeSpotPriceHistoryRequest,
	type DescribeSpotPriceHistoryResult,
	type SpotPrice,
} from "@aws-sdk/client-ec2";
import { microToUsdText } from "#server/kernel/money.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { Ec2Error } from "../ec2-error.ts";
import { compileFilters } from "../filters.ts";
import { takePage } from "../paging.ts";
import { spotPriceHistory } from "../spot-prices.ts";
import type { World } from "../world.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

/** EC2 keeps 90 days. */
const HISTORY_MS = 90 * DAY_MS;
const PRODUCT = "Linux/UNIX";

interface PriceRow {
	instanceType: string;
	zone: string;
	atMs: number;
	price: string;
}

/**
 * Newest first. The price in force at StartTime is included, with the earlier time at which it was set, so StartTime = now
 * returns each zone's current price.
 */
export const describeSpotPriceHistory = defineAction<DescribeSpotPriceHistoryRequest, DescribeSpotPriceHistoryResult>({
	operation: DescribeSpotPriceHistory$,
	supports: [
		"AvailabilityZone",
		"AvailabilityZoneId",
		"InstanceTypes",
		"ProductDescriptions",
		"StartTime",
		"EndTime",
		"Filters",
		"MaxResults",
		"NextToken",
		"DryRun",
	],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const nowMs = world.options.clock();
		const toMs = Math.min(input.EndTime?.getTime() ?? nowMs, nowMs);
		const fromMs = Math.max(Math.min(input.StartTime?.getTime() ?? 0, nowMs), nowMs - HISTORY_MS);
		if (input.StartTime && input.EndTime && input.StartTime > input.EndTime) {
			throw new Ec2Error("InvalidParameterValue", "The start time must not be later than the end time.");
		}
		const page = takePage(priceRows(input, world, region, fromMs, toMs), keyOf, {
			action: "DescribeSpotPriceHistory",
			maxResults: input.MaxResults,
			// EC2 returns an empty token on the last page and accepts one for the first.
			nextToken: input.NextToken === "" ? undefined : input.NextToken,
			min: 1,
			max: 1_000,
		});
		return { SpotPriceHistory: page.items.map(rowView), NextToken: page.nextToken ?? "" };
	},
});

function priceRows(input: DescribeSpotPriceHistoryRequest, world: World, region: string, fromMs: number, toMs: number): PriceRow[] {
	const { AvailabilityZone: zone, AvailabilityZoneId: zoneId, InstanceTypes: types, ProductDescriptions: products } = input;
	if (products && !products.some((product) => product === PRODUCT || product === `${PRODUCT} (Amazon VPC)`)) return [];
	const zoneName =
		zone ?? (zoneId === undefined ? undefined : (world.catalog.zonesIn(region).find((z) => z.zoneId === zoneId)?.zone ?? ""));
	const matches = compileFilters<PriceRow>(input.Filters, {
		fields: {
			"availability-zone": (row) => [row.zone],
			"instance-type": (row) => [row.instanceType],
			"product-description": () => [PRODUCT],
			"spot-price": (row) => [row.price],
			timestamp: (row) => [new Date(row.atMs).toISOString()],
		},
	});
	return world.catalog
		.offersIn(region)
		.filter(
			(offer) => (zoneName === undefined || offer.zone === zoneName) && (!types || types.some((type) => type === offer.entry.instanceType)),
		)
		.flatMap((offer) =>
			spotPriceHistory(world.options.seed, offer, fromMs, toMs).map((point) => ({
				instanceType: offer.entry.instanceType,
				zone: offer.zone,
				atMs: point.atMs,
				price: sixDecimals(microToUsdText(point.microUsdPerHour)),
			})),
		)
		.filter(matches);
}

function rowView(row: PriceRow): SpotPrice {
	return {
		AvailabilityZone: row.zone,
		// The SDK's type lists the types known when it was built; the catalog may contain newer ones.
		InstanceType: row.instanceType as NonNullable<SpotPrice["InstanceType"]>,
		ProductDescription: PRODUCT,
		SpotPrice: row.price,
		Timestamp: new Date(row.atMs),
	};
}

function keyOf(row: PriceRow): string {
	return `${String(Number.MAX_SAFE_INTEGER - row.atMs).padStart(17, "0")}/${row.instanceType}/${row.zone}`;
}

function sixDecimals(usd: string): string {
	const [whole = "0", fraction = ""] = usd.split(".");
	return `${whole}.${fraction.padEnd(6, "0")}`;
}
