import type { PlacementGroup } from "@aws-sdk/client-ec2";
import { isOver } from "../shared/machine-record.ts";
import type { PlacementGroupRecord } from "./book/placement-groups.ts";
import type { Machine } from "./book/records.ts";
import { hex17 } from "./catalog.ts";
import { Ec2Error } from "./ec2-error.ts";
import { tagsView } from "./views/instance-view.ts";
import type { World } from "./world.ts";

/** @throws Ec2Error InvalidPlacementGroup.Unknown */
export function requireGroup({ placementGroups }: World, region: string, name: string): PlacementGroupRecord {
	const found = placementGroups.find(region, name);
	if (!found) throw new Ec2Error("InvalidPlacementGroup.Unknown", `The Placement Group '${name}' is unknown.`);
	return found;
}

/** Machines of a group that have not terminated. */
export function membersOf({ store }: World, { region, name }: PlacementGroupRecord): Machine[] {
	return store
		.machines()
		.filter(({ reservation: r, instance }) => r.region === region && r.placementGroup === name && !isOver(instance.state));
}

/**
 * The zone of a launch into a group. A cluster group is in one zone: that of its first machine.
 * @throws Ec2Error InvalidPlacementGroup.Unknown, or InvalidPlacementGroup.InUse in another zone
 */
export function zoneInGroup(world: World, region: string, name: string | null, zone: string | undefined): string | undefined {
	if (name === null) return zone;
	const group = requireGroup(world, region, name);
	const used = group.strategy === "cluster" ? membersOf(world, group)[0]?.instance.zone : undefined;
	if (used === undefined || zone === undefined || zone === used) return used ?? zone;
	throw new Ec2Error("InvalidPlacementGroup.InUse", `The placement group '${name}' is in use in another availability zone: ${used}`);
}

export function groupView({ region, name, strategy, tags }: PlacementGroupRecord): PlacementGroup {
	const id = `pg-${hex17(`${region}/${name}`)}`;
	return { GroupId: id, GroupName: name, Strategy: strategy, State: "available", Tags: tagsView(tags) };
}
