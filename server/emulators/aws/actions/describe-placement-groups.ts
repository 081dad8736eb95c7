import { DescribePlacementGroups$, type DescribePlacementGroupsRequest, type DescribePlacementGroupsResult } from "@aws-sdk/client-ec2";
import type { PlacementGroupRecord } from "../book/placement-groups.ts";
import { compileFilters } from "../filters.ts";
import { groupView, requireGroup } from "../placement-rules.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

export const describePlacementGroups = defineAction<DescribePlacementGroupsRequest, DescribePlacementGroupsResult>({
	operation: DescribePlacementGroups$,
	supports: ["GroupNames", "Filters", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const names = input.GroupNames ?? [];
		const matches = compileFilters<PlacementGroupRecord>(input.Filters, {
			fields: { "group-name": ({ name }) => [name], state: () => ["available"], strategy: ({ strategy }) => [strategy] },
			tags: ({ tags }) => tags,
		});
		const groups = names.length > 0 ? names.map((name) => requireGroup(world, region, name)) : world.placementGroups.in(region);
		return { PlacementGroups: groups.filter(matches).map(groupView) };
	},
});
