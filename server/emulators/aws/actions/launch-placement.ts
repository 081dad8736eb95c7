import type { RunInstancesRequest } from "@aws-sdk/client-ec2";
import type { FaultControl } from "../../shared/faults.ts";
import type { Catalog, ZoneOffer } from "../catalog.ts";
import { Ec2Error } from "../ec2-error.ts";

export interface LaunchPlacement {
	offer: ZoneOffer;
	subnetId: string;
}

/** The zone that the request names, directly or through a subnet; undefined leaves the choice to the service. */
export function requestedZone(input: RunInstancesRequest, catalog: Catalog, region: string): string | undefined {
	const zones = catalog.zonesIn(region);
	const { AvailabilityZone: zone, AvailabilityZoneId: zoneId } = input.Placement ?? {};
	const subnetId = input.SubnetId ?? input.NetworkInterfaces?.[0]?.SubnetId;
	const byName = zone === undefined ? undefined : zones.find((facts) => facts.zone === zone);
	const byId = zoneId === undefined ? undefined : zones.find((facts) => facts.zoneId === zoneId);
	const bySubnet = subnetId === undefined ? undefined : zones.find((facts) => facts.subnetId === subnetId);
	if (zone !== undefined && !byName) throw new Ec2Error("InvalidParameterValue", `Invalid availability zone: [${zone}]`);
	if (zoneId !== undefined && !byId) throw new Ec2Error("InvalidParameterValue", `Invalid availability zone: [${zoneId}]`);
	if (subnetId !== undefined && !bySubnet) throw new Ec2Error("InvalidSubnetID.NotFound", `The subnet ID '${subnetId}' does not exist`);
	const named = [byName, byId, bySubnet].filter((facts) => facts !== undefined);
	if (new Set(named).size > 1)
		throw new Ec2Error("InvalidParameterCombination", "The zone and the subnet of the launch are not the same place.");
	return named[0]?.zone;
}

/**
 * Chooses the zone of a launch. If the request names none, the service rotates through the zones but avoids one where launches
 * currently fail while they succeed in another.
 * @throws Ec2Error InvalidParameterValue, Unsupported
 */
export function placeLaunch(
	request: { region: string; instanceType: string; zone: string | undefined; spot: boolean; turn: number },
	catalog: Catalog,
	faults: FaultControl,
): LaunchPlacement {
	const { region, instanceType, zone, spot, turn } = request;
	if (!catalog.type(instanceType)) throw new Ec2Error("InvalidParameterValue", `Invalid value '${instanceType}' for InstanceType.`);
	const sold = catalog.offersIn(region).filter((o) => o.entry.instanceType === instanceType && (!spot || o.spotMicroUsdPerHour !== null));
	const fitting = sold.filter((o) => zone === undefined || o.zone === zone);
	const open = fitting.filter((o) => !faults.blocksLaunch({ action: "RunInstances", region, zone: o.zone, instanceType, spot }));
	const candidates = open.length > 0 ? open : fitting;
	const offer = candidates[turn % Math.max(1, candidates.length)];
	const subnetId = catalog.zonesIn(region).find((facts) => facts.zone === offer?.zone)?.subnetId;
	if (!offer || subnetId === undefined) {
		const place = zone === undefined ? `Region (${region})` : `Availability Zone (${zone})`;
		throw new Ec2Error("Unsupported", `Your requested instance type (${instanceType}) is not supported in your requested ${place}.`);
	}
	return { offer, subnetId };
}
