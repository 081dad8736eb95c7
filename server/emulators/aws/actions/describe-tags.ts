import { DescribeTags$, type DescribeTagsRequest, type DescribeTagsResult } from "@aws-sdk/client-ec2";
import { compileFilters } from "../filters.ts";
import { takePage } from "../paging.ts";
import { visibleMachines } from "../world.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

interface TagRow {
	resourceId: string;
	resourceType: "instance" | "spot-instances-request";
	key: string;
	value: string;
}

export const describeTags = defineAction<DescribeTagsRequest, DescribeTagsResult>({
	operation: DescribeTags$,
	supports: ["Filters", "MaxResults", "NextToken", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const matches = compileFilters<TagRow>(input.Filters, {
			fields: {
				key: (row) => [row.key],
				value: (row) => [row.value],
				"resource-id": (row) => [row.resourceId],
				"resource-type": (row) => [row.resourceType],
			},
			tags: (row) => ({ [row.key]: row.value }),
		});
		const rows = visibleMachines(world, region).flatMap(({ instance }) => [
			...rowsOf(instance.instanceId, "instance", instance.tags),
			...(instance.spot ? rowsOf(instance.spot.requestId, "spot-instances-request", instance.spot.tags) : []),
		]);
		const page = takePage(rows.filter(matches), (row) => `${row.resourceId}/${row.key}`, {
			action: "DescribeTags",
			maxResults: input.MaxResults,
			nextToken: input.NextToken,
			min: 5,
			max: 1_000,
		});
		return {
			Tags: page.items.map((row) => ({ ResourceId: row.resourceId, ResourceType: row.resourceType, Key: row.key, Value: row.value })),
			NextToken: page.nextToken,
		};
	},
});

function rowsOf(resourceId: string, resourceType: TagRow["resourceType"], tags: Readonly<Record<string, string>>): TagRow[] {
	return Object.entries(tags).map(([key, value]) => ({ resourceId, resourceType, key, value }));
}
