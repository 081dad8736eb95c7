import { gpuNicsOf } from "#server/domain/interconnect.ts";
import type { InstanceRecord } from "./book/records.ts";
import type { ResourcePolicyRecord } from "./book/resource-policies.ts";
import { GceError, invalidField } from "./gce-error.ts";
import type { World } from "./world.ts";

/** Machine series with compact placement. Source: Google Cloud, "Compact placement policy and workload policy overview". */
const SERIES_WITH_COMPACT_PLACEMENT = /^(?:a2|a3|a4|a4x|g2|g4)-/;
/** Series that need Google's own network interface. Source: Google Cloud, "Using Google Virtual NIC". */
const SERIES_WITH_GVNIC = /^(?:a3|a4|a4x)-/;

/** A policy by its URL in a launch; the launch's zone must be in its region. */
function policyOf(world: World, region: string, url: string): ResourcePolicyRecord {
	const [, urlRegion, name = ""] = /(?:^|\/)regions\/([^/]+)\/resourcePolicies\/([^/]+)$/.exec(url) ?? [];
	const found = urlRegion === region ? world.resourcePolicies.find(region, name) : undefined;
	if (!found) throw invalidField("resource.resourcePolicies[0]", url, "The referenced resource policy cannot be found in the region.");
	return found;
}

/** The machines with a policy that exist. */
export function membersOf(world: World, { region, name }: ResourcePolicyRecord): InstanceRecord[] {
	return world.machines
		.machines()
		.filter((m) => m.state !== "terminated" && m.placementPolicy === name && world.catalog.regionOf(m.zone) === region);
}

/**
 * The name of a launch's placement policy; null: none.
 * @throws GceError for a launch that Google would reject: more than one policy, another region's, a machine type without compact placement,
 * or a zone other than that of the policy's machines
 */
export function readPlacementPolicy(world: World, zone: string, machineType: string, urls: readonly string[]): string | null {
	const [url] = urls;
	if (url === undefined) return null;
	if (urls.length > 1) throw invalidField("resource.resourcePolicies", urls.join(", "), "An instance can have one placement policy.");
	const policy = policyOf(world, world.catalog.regionOf(zone) ?? "", url);
	if (!SERIES_WITH_COMPACT_PLACEMENT.test(machineType))
		throw invalidField("resource.resourcePolicies[0]", url, `Machine type ${machineType} does not support compact placement policies.`);
	const other = membersOf(world, policy).find((machine) => machine.zone !== zone);
	if (other)
		throw new GceError("invalid", `All instances with the compact placement policy ${policy.name} must be in one zone: ${other.zone}.`);
	return policy.name;
}

interface RequestedInterface {
	nicType?: string | undefined;
	network?: string | undefined;
	subnetwork?: string | undefined;
}

/**
 * Checks the interfaces of a launch as Google does. Names of networks are not known here, so two interfaces count as in one network if they
 * name the same network or subnetwork. Source: Google Cloud, "Multiple network interfaces overview" and "Networking and GPU machines".
 * @throws GceError for another type of interface than gVNIC in a series that needs it, for more interfaces than the machine type has, and for
 * two interfaces in one network
 */
export function checkInterfaces(machineType: string, interfaces: readonly RequestedInterface[]): void {
	const wrong = interfaces.findIndex(({ nicType }) => nicType !== undefined && nicType !== "GVNIC");
	if (wrong >= 0 && SERIES_WITH_GVNIC.test(machineType))
		throw invalidField(`resource.networkInterfaces[${wrong}].nicType`, interfaces[wrong]?.nicType, `${machineType} requires GVNIC.`);
	const most = 1 + gpuNicsOf(machineType);
	if (most > 1 && interfaces.length > most)
		throw invalidField("resource.networkInterfaces", interfaces.length, `${machineType} supports at most ${most} network interfaces.`);
	const networks = interfaces.map(({ network, subnetwork }) => subnetwork ?? network ?? "");
	const again = networks.findIndex((name, index) => networks.indexOf(name) < index);
	if (again >= 0)
		throw invalidField(`resource.networkInterfaces[${again}]`, networks[again], "Each network interface must be in another network.");
}
