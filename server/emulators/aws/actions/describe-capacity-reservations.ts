import {
	DescribeCapacityReservations$,
	type DescribeCapacityReservationsRequest,
	type DescribeCapacityReservationsResult,
	type CapacityReservation as Ec2CapacityReservation,
} from "@aws-sdk/client-ec2";
import type { CapacityReservation } from "../account-options.ts";
import { availableIn } from "../capacity-reservations.ts";
import { Ec2Error } from "../ec2-error.ts";
import { takePage } from "../paging.ts";
import { OWNER_ID, type World } from "../world.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

export const describeCapacityReservations = defineAction<DescribeCapacityReservationsRequest, DescribeCapacityReservationsResult>({
	operation: DescribeCapacityReservations$,
	supports: ["CapacityReservationIds", "MaxResults", "NextToken", "DryRun"],
	run({ CapacityReservationIds: ids, MaxResults: maxResults, NextToken: nextToken, DryRun }, { world, region }) {
		stopDryRun(DryRun);
		const here = world.options.capacityReservations.filter((one) => one.region === region);
		const missing = ids?.find((id) => !here.some((one) => one.id === id));
		if (missing !== undefined)
			throw new Ec2Error("InvalidCapacityReservationId.NotFound", `The capacity reservation '${missing}' does not exist`);
		const asked = here.filter(({ id }) => ids === undefined || ids.includes(id));
		const bounds = { action: "DescribeCapacityReservations", maxResults, nextToken, min: 1, max: 1_000 };
		const page = takePage(asked, ({ id }) => id, bounds);
		return { CapacityReservations: page.items.map((one) => viewOf(world, one)), NextToken: page.nextToken };
	},
});

function viewOf(world: World, one: CapacityReservation): Ec2CapacityReservation {
	return {
		CapacityReservationId: one.id,
		OwnerId: OWNER_ID,
		InstanceType: one.instanceType,
		InstancePlatform: "Linux/UNIX",
		AvailabilityZone: one.zone,
		Tenancy: "default",
		TotalInstanceCount: one.instances,
		AvailableInstanceCount: availableIn(world, one),
		State: "active",
		InstanceMatchCriteria: "targeted",
		ReservationType: one.isBlock ? "capacity-block" : "default",
	};
}
