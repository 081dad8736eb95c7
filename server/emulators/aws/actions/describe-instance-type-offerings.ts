import {
	DescribeInstanceTypeOfferings$,
	type DescribeInstanceTypeOfferingsRequest,
	type DescribeInstanceTypeOfferingsResult,
	type InstanceTypeOffering,
} from "@aws-sdk/client-ec2";
import { invalidValue } from "../ec2-error.ts";
import { compileFilters } from "../filters.ts";
import { takePage } from "../paging.ts";
import type { World } from "../world.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

interface Offering {
	instanceType: string;
	location: string;
}

export const describeInstanceTypeOfferings = defineAction<DescribeInstanceTypeOfferingsRequest, DescribeInstanceTypeOfferingsResult>({
	operation: DescribeInstanceTypeOfferings$,
	supports: ["LocationType", "Filters", "MaxResults", "NextToken", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const locationType = input.LocationType ?? "region";
		const matches = compileFilters<Offering>(input.Filters, {
			fields: { "instance-type": (o) => [o.instanceType], location: (o) => [o.location] },
		});
		const page = takePage(offeringsIn(world, region, locationType).filter(matches), (o) => `${o.instanceType}/${o.location}`, {
			action: "DescribeInstanceTypeOfferings",
			maxResults: input.MaxResults,
			nextToken: input.NextToken,
			min: 5,
			max: 1_000,
		});
		return {
			InstanceTypeOfferings: page.items.map((o) => ({
				// The SDK's type lists the types known when it was built; the catalog may contain newer ones.
				InstanceType: o.instanceType as NonNullable<InstanceTypeOffering["InstanceType"]>,
				LocationType: locationType,
				Location: o.location,
			})),
			NextToken: page.nextToken,
		};
	},
});

function offeringsIn(world: World, region: string, locationType: string): Offering[] {
	const zoneIds = new Map(world.catalog.zonesIn(region).map(({ zone, zoneId }) => [zone, zoneId]));
	const locationOf = (zone: string): string => {
		if (locationType === "region") return region;
		if (locationType === "availability-zone") return zone;
		if (locationType === "availability-zone-id") return zoneIds.get(zone) ?? zone;
		throw invalidValue("LocationType", locationType, "Expecting region, availability-zone or availability-zone-id.");
	};
	const offerings = world.catalog
		.offersIn(region)
		.map(({ entry, zone }) => ({ instanceType: entry.instanceType, location: locationOf(zone) }));
	return [...new Map(offerings.map((o) => [`${o.instanceType}/${o.location}`, o])).values()];
}
