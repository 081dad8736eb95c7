import { createHash } from "node:crypto";
import { type Reservation as Ec2Reservation, RunInstances$, type RunInstancesRequest } from "@aws-sdk/client-ec2";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import type { FaultBehaviour } from "../../shared/faults.ts";
import { isAlive } from "../../shared/machine-record.ts";
import { requireGroups, requireKeyPairs } from "../account-network.ts";
import type { Reservation } from "../book/records.ts";
import { targetOf } from "../capacity-reservations.ts";
import { Ec2Error } from "../ec2-error.ts";
import { zoneInGroup } from "../placement-rules.ts";
import { spotPriceAt } from "../spot-prices.ts";
import { machinesWithin, vcpuQuotaOf } from "../vcpu-quotas.ts";
import { reservationView } from "../views/instance-view.ts";
import type { World } from "../world.ts";
import { type CallContext, defineAction } from "./action.ts";
import { bookLaunch } from "./book-launch.ts";
import { stopDryRun } from "./instance-ids.ts";
import { type LaunchPlacement, placeLaunch, requestedZone } from "./launch-placement.ts";
import { instanceTypeOf, isSpotLaunch, type LaunchRequest, readLaunch } from "./launch-request.ts";

/**
 * Launches MinCount to MaxCount instances in one zone, or none. The same ClientToken with the same parameters returns the launch
 * made with it, in its current state; with other parameters the call fails as a mismatch. Tokens are valid within a region.
 */
export const runInstances = defineAction<RunInstancesRequest, Ec2Reservation>({
	operation: RunInstances$,
	supports: [
		"ClientToken",
		"DryRun",
		"ImageId",
		"InstanceInitiatedShutdownBehavior",
		"InstanceMarketOptions.MarketType",
		"InstanceMarketOptions.SpotOptions.InstanceInterruptionBehavior",
		"InstanceMarketOptions.SpotOptions.MaxPrice",
		"InstanceMarketOptions.SpotOptions.SpotInstanceType",
		"InstanceType",
		"KeyName",
		"MaxCount",
		"MinCount",
		"NetworkInterfaces.Groups",
		"NetworkInterfaces.InterfaceType",
		"NetworkInterfaces.NetworkCardIndex",
		"NetworkInterfaces.SubnetId",
		"Placement.AvailabilityZone",
		"Placement.AvailabilityZoneId",
		"Placement.GroupName",
		"Placement.Tenancy",
		"SecurityGroupIds",
		"SubnetId",
		"TagSpecifications",
		"UserData",
		"CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId",
		// Accepted without effect: an emulated machine has this host's disk, network and identity.
		"BlockDeviceMappings",
		"EbsOptimized",
		"IamInstanceProfile",
		"MetadataOptions",
		"Monitoring",
		"NetworkInterfaces.AssociatePublicIpAddress",
		"NetworkInterfaces.DeleteOnTermination",
		"NetworkInterfaces.DeviceIndex",
	],
	facts: (input, { world, region }) => ({
		instanceType: instanceTypeOf(input),
		spot: isSpotLaunch(input),
		zone: requestedZone(input, world.catalog, region),
	}),
	run(input, context) {
		const { world, region } = context;
		const launch = readLaunch(input);
		const fingerprint = fingerprintOf(context.form);
		const earlier = launch.clientToken === "" ? undefined : world.store.reservationByToken(region, launch.clientToken);
		if (earlier) {
			if (earlier.fingerprint !== fingerprint) throw new Ec2Error("IdempotentParameterMismatch");
			return viewOf(world, earlier);
		}
		if (world.closing) throw new Ec2Error("Unavailable", "The emulated EC2 endpoint is stopping; nothing new is launched.");
		const { instanceType, spot } = launch;
		requireGroups(world, region, launch.securityGroupIds);
		requireKeyPairs(world, launch.keyName === null ? [] : [launch.keyName]);
		const target = targetOf(world, region, launch);
		const zone = zoneInGroup(world, region, launch.placementGroup, requestedZone(input, world.catalog, region));
		const turn = world.store.nextOrdinal();
		const placement = placeLaunch({ region, instanceType, zone, spot, turn }, world.catalog, world.faults);
		stopDryRun(input.DryRun);
		const facts = { action: "RunInstances", region, zone: placement.offer.zone, instanceType, spot };
		const behaviours = world.faults.take("launch", facts);
		assertSpotPrice(world, launch, placement);
		const reservation = bookLaunch(world, {
			region,
			fingerprint,
			launch,
			placement,
			behaviours,
			target,
			count: countOf(world, region, launch, behaviours),
		});
		for (const instance of reservation.instances) world.lifecycle.schedule(instance);
		return viewOf(world, reservation);
	},
});

function viewOf(world: World, reservation: Reservation): Ec2Reservation {
	return reservationView(
		world,
		reservation,
		reservation.instances.map((instance) => ({ reservation, instance })),
	);
}

/** Covers every parameter except the token, in any order. */
function fingerprintOf(form: CallContext["form"]): string {
	const parameters = [...form].filter(([key]) => key !== "ClientToken").sort(([a], [b]) => (a < b ? -1 : 1));
	return createHash("sha256").update(JSON.stringify(parameters)).digest("hex");
}

function countOf(world: World, region: string, launch: LaunchRequest, behaviours: readonly FaultBehaviour[]): number {
	const { minCount, maxCount, instanceType, spot } = launch;
	const live = world.store.machines().filter(({ instance }) => isAlive(instance.state)).length;
	const free = world.options.maxLiveInstances - live;
	if (minCount > free)
		throw new Ec2Error(
			"InstanceLimitExceeded",
			`You have requested more instances (${live + minCount}) than your current instance limit of ${world.options.maxLiveInstances} allows.`,
		);
	// A Capacity Block has a separate quota, which is not emulated.
	const quota = launch.isBlock ? null : vcpuQuotaOf(world.options, instanceType, spot);
	const fitting = quota === null ? maxCount : machinesWithin(world, region, quota, instanceType);
	if (minCount > fitting) throw quotaError(spot, quota?.limit ?? 0);
	const limits = behaviours.flatMap((behaviour) => (behaviour.kind === "limited_capacity" ? [behaviour.available] : []));
	const available = Math.min(maxCount, free, fitting, ...limits);
	if (available < minCount) {
		throw new Ec2Error(
			"InsufficientInstanceCapacity",
			`We currently do not have sufficient ${instanceType} capacity in the Availability Zone you requested.`,
		);
	}
	return available;
}

function quotaError(spot: boolean, limit: number): Ec2Error {
	if (spot) return new Ec2Error("MaxSpotInstanceCountExceeded");
	return new Ec2Error(
		"VcpuLimitExceeded",
		`You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to.`,
	);
}

function assertSpotPrice(world: World, launch: LaunchRequest, { offer }: LaunchPlacement): void {
	if (launch.maxPriceUsd === null) return;
	const price = spotPriceAt(world.options.seed, offer, world.options.clock());
	if (price !== null && usdToMicro(launch.maxPriceUsd) < price) {
		throw new Ec2Error(
			"SpotMaxPriceTooLow",
			`Your Spot request price of ${launch.maxPriceUsd} is lower than the minimum required Spot request fulfillment price of ${microToUsdText(price)}.`,
		);
	}
}
