import {
	DescribeAvailabilityZones$,
	type DescribeAvailabilityZonesRequest,
	type DescribeAvailabilityZonesResult,
} from "@aws-sdk/client-ec2";
import type { ZoneFacts } from "../catalog.ts";
import { Ec2Error } from "../ec2-error.ts";
import { compileFilters } from "../filters.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

export const describeAvailabilityZones = defineAction<DescribeAvailabilityZonesRequest, DescribeAvailabilityZonesResult>({
	operation: DescribeAvailabilityZones$,
	supports: ["ZoneNames", "ZoneIds", "Filters", "AllAvailabilityZones", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const zones = world.catalog.zonesIn(region);
		const asked = [...(input.ZoneNames ?? []), ...(input.ZoneIds ?? [])];
		const unknown = asked.find((name) => !zones.some(({ zone, zoneId }) => zone === name || zoneId === name));
		if (unknown !== undefined) throw new Ec2Error("InvalidParameterValue", `Invalid availability zone: [${unknown}]`);
		const matches = compileFilters<ZoneFacts>(input.Filters, {
			fields: {
				"region-name": () => [region],
				state: () => ["available"],
				"zone-id": ({ zoneId }) => [zoneId],
				"zone-name": ({ zone }) => [zone],
				"zone-type": () => ["availability-zone"],
			},
		});
		return {
			AvailabilityZones: zones
				.filter((facts) => (asked.length === 0 || asked.includes(facts.zone) || asked.includes(facts.zoneId)) && matches(facts))
				.map(({ zone, zoneId }) => ({
					ZoneName: zone,
					ZoneId: zoneId,
					RegionName: region,
					State: "available",
					OptInStatus: "opt-in-not-required",
					ZoneType: "availability-zone",
					GroupName: region,
					NetworkBorderGroup: region,
					Messages: [],
				})),
		};
	},
});
