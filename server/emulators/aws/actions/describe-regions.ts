import { DescribeRegions$, type DescribeRegionsRequest, type DescribeRegionsResult } from "@aws-sdk/client-ec2";
import { Ec2Error } from "../ec2-error.ts";
import { compileFilters } from "../filters.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

export const describeRegions = defineAction<DescribeRegionsRequest, DescribeRegionsResult>({
	operation: DescribeRegions$,
	supports: ["RegionNames", "Filters", "AllRegions", "DryRun"],
	run(input, { world }) {
		stopDryRun(input.DryRun);
		const asked = input.RegionNames ?? [];
		const unknown = asked.find((region) => !world.catalog.regions.has(region));
		if (unknown !== undefined) throw new Ec2Error("InvalidParameterValue", `Invalid region provided: '${unknown}'`);
		// One endpoint serves all regions and reports itself for each.
		const endpoint = new URL(world.url()).host;
		const optIn = "opt-in-not-required";
		const matches = compileFilters<string>(input.Filters, {
			fields: { "region-name": (region) => [region], endpoint: () => [endpoint], "opt-in-status": () => [optIn] },
		});
		const regions = [...world.catalog.regions].filter((region) => (asked.length === 0 || asked.includes(region)) && matches(region));
		return { Regions: regions.map((region) => ({ RegionName: region, Endpoint: endpoint, OptInStatus: optIn })) };
	},
});
