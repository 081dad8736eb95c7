import type { InstanceNetworkInterfaceSpecification, RunInstancesRequest } from "@aws-sdk/client-ec2";
import { efaInterfacesOf, firstEfaCardOf } from "#server/domain/interconnect.ts";
import { Ec2Error, invalidValue } from "../ec2-error.ts";

const TYPES = ["interface", "efa", "efa-only"];

/**
 * The network interfaces of a launch, checked as EC2 does: one primary interface, one interface for each place on a network card, and
 * EFAs only on types that have them.
 * @throws Ec2Error InvalidParameterCombination, InvalidParameterValue
 */
export function checkInterfaces(input: RunInstancesRequest, instanceType: string): void {
	const interfaces = input.NetworkInterfaces ?? [];
	if (interfaces.length === 0) return;
	if (input.SubnetId !== undefined || input.SecurityGroupIds !== undefined)
		throw combined("an instance-level subnet ID or security groups");
	for (const { InterfaceType: type = "interface" } of interfaces)
		if (!TYPES.includes(type)) throw invalidValue("interfaceType", type, `Expecting one of ${TYPES.join(", ")}.`);
	const primary = interfaces.filter((one) => placeOf(one) === "0/0");
	if (primary.length !== 1 || primary[0]?.InterfaceType === "efa-only")
		throw new Ec2Error(
			"InvalidParameterCombination",
			"The primary network interface must be of the type interface or efa, at device index 0.",
		);
	if (new Set(interfaces.map(placeOf)).size < interfaces.length)
		throw new Ec2Error("InvalidParameterValue", "Each network interface requires a unique network card and device index.");
	if (interfaces.length > 1 && interfaces.some((one) => one.AssociatePublicIpAddress === true))
		throw new Ec2Error(
			"InvalidParameterCombination",
			"The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.",
		);
	checkEfas(interfaces, instanceType);
}

function checkEfas(interfaces: readonly InstanceNetworkInterfaceSpecification[], instanceType: string): void {
	const efas = interfaces.filter(({ InterfaceType: type }) => type === "efa" || type === "efa-only");
	const most = efaInterfacesOf(instanceType);
	if (efas.length > 0 && most === 0)
		throw new Ec2Error("InvalidParameterCombination", `EFA interfaces are not supported on ${instanceType}`);
	// Each of these types has one EFA on each network card, or on all cards but the first.
	const first = firstEfaCardOf(instanceType);
	const card = Math.max(...interfaces.map(({ NetworkCardIndex: index = 0 }) => index));
	if (efas.some(({ NetworkCardIndex: index = 0 }) => index < first))
		throw new Ec2Error("InvalidParameterValue", `Network card 0 of ${instanceType} does not support EFA interfaces.`);
	if (efas.length > most || card >= Math.max(1, first + most))
		throw new Ec2Error("InvalidParameterValue", `${instanceType} supports at most ${most} EFA interfaces, one on each network card.`);
}

const placeOf = ({ NetworkCardIndex: card = 0, DeviceIndex: device }: InstanceNetworkInterfaceSpecification): string =>
	`${card}/${device ?? ""}`;

/** EC2's wording. */
function combined(what: string): Ec2Error {
	return new Ec2Error("InvalidParameterCombination", `Network interfaces and ${what} may not be specified on the same request`);
}
