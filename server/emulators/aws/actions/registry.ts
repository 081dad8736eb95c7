import type { Ec2Action } from "./action.ts";
import { createPlacementGroup } from "./create-placement-group.ts";
import { createTags } from "./create-tags.ts";
import { deletePlacementGroup } from "./delete-placement-group.ts";
import { describeAvailabilityZones } from "./describe-availability-zones.ts";
import { describeCapacityReservations } from "./describe-capacity-reservations.ts";
import { describeImages } from "./describe-images.ts";
import { describeInstanceTypeOfferings } from "./describe-instance-type-offerings.ts";
import { describeInstanceTypes } from "./describe-instance-types.ts";
import { describeInstances } from "./describe-instances.ts";
import { describeKeyPairs } from "./describe-key-pairs.ts";
import { describePlacementGroups } from "./describe-placement-groups.ts";
import { describeRegions } from "./describe-regions.ts";
import { describeSecurityGroups } from "./describe-security-groups.ts";
import { describeSpotInstanceRequests } from "./describe-spot-instance-requests.ts";
import { describeSpotPriceHistory } from "./describe-spot-price-history.ts";
import { describeSubnets } from "./describe-subnets.ts";
import { describeTags } from "./describe-tags.ts";
import { runInstances } from "./run-instances.ts";
import { startInstances } from "./start-instances.ts";
import { stopInstances } from "./stop-instances.ts";
import { terminateInstances } from "./terminate-instances.ts";

export const ACTIONS: ReadonlyMap<string, Ec2Action> = new Map(
	[
		createPlacementGroup,
		createTags,
		deletePlacementGroup,
		describeAvailabilityZones,
		describeCapacityReservations,
		describeImages,
		describeInstanceTypeOfferings,
		describeInstanceTypes,
		describeInstances,
		describeKeyPairs,
		describePlacementGroups,
		describeRegions,
		describeSecurityGroups,
		describeSpotInstanceRequests,
		describeSpotPriceHistory,
		describeSubnets,
		describeTags,
		runInstances,
		startInstances,
		stopInstances,
		terminateInstances,
	].map((action) => [action.name, action]),
);
