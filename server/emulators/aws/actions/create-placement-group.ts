import { CreatePlacementGroup$, type CreatePlacementGroupRequest, type CreatePlacementGroupResult } from "@aws-sdk/client-ec2";
import { Ec2Error, invalidValue, missingParameter } from "../ec2-error.ts";
import { groupView } from "../placement-rules.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";
import { readTags } from "./tags.ts";

const MAX_NAME = 255;

/** Group names are unique in a region. EC2's default strategy is cluster. */
export const createPlacementGroup = defineAction<CreatePlacementGroupRequest, CreatePlacementGroupResult>({
	operation: CreatePlacementGroup$,
	supports: ["GroupName", "Strategy", "TagSpecifications", "DryRun"],
	run(input, { world, region }) {
		const { GroupName: name, Strategy: strategy = "cluster", TagSpecifications: specifications = [] } = input;
		if (name === undefined || name === "") throw missingParameter("groupName");
		if (name.length > MAX_NAME) throw invalidValue("groupName", name, `Expecting at most ${MAX_NAME} characters.`);
		if (strategy !== "cluster" && strategy !== "spread") throw invalidValue("strategy", strategy, "Expecting cluster or spread.");
		const wrong = specifications.find(({ ResourceType: type }) => type !== "placement-group");
		if (wrong)
			throw new Ec2Error("InvalidParameterValue", `'${wrong.ResourceType}' is not a valid taggable resource type for this operation.`);
		if (world.placementGroups.find(region, name))
			throw new Ec2Error("InvalidPlacementGroup.Duplicate", `The placement group '${name}' already exists.`);
		const tags = readTags(specifications.flatMap(({ Tags: given = [] }) => given));
		stopDryRun(input.DryRun);
		const group = { region, name, strategy, tags };
		world.placementGroups.add(group);
		return { PlacementGroup: groupView(group) };
	},
});
