import { DeletePlacementGroup$, type DeletePlacementGroupRequest } from "@aws-sdk/client-ec2";
import { Ec2Error, missingParameter } from "../ec2-error.ts";
import { membersOf, requireGroup } from "../placement-rules.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

/** All instances of the group must have terminated. */
export const deletePlacementGroup = defineAction<DeletePlacementGroupRequest, Record<string, never>>({
	operation: DeletePlacementGroup$,
	supports: ["GroupName", "DryRun"],
	run(input, { world, region }) {
		const { GroupName: name } = input;
		if (name === undefined || name === "") throw missingParameter("groupName");
		const group = requireGroup(world, region, name);
		if (membersOf(world, group).length > 0)
			throw new Ec2Error("InvalidPlacementGroup.InUse", `The placement group '${name}' is in use and may not be deleted.`);
		stopDryRun(input.DryRun);
		world.placementGroups.remove(group);
		return {};
	},
});
