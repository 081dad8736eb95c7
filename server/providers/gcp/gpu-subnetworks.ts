import { gpuNicsOf, gpuSubnetworksIn } from "#server/domain/interconnect.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { ifAllowed, type Look } from "../check-steps.ts";
import type { LaunchRequest } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import type { ComputeCalls } from "./client.ts";
import { isCloseTogether } from "./gang-placement.ts";
import type { ParsedGcpSettings } from "./settings.ts";

/** @throws DriverError invalid_request for a gang with more GPU interfaces than the site has subnetworks for them in the region */
export function requireGpuSubnetworks(request: LaunchRequest, { gpuSubnetworks }: Pick<ParsedGcpSettings, "gpuSubnetworks">): void {
	const needed = isCloseTogether(request) ? gpuNicsOf(request.instanceType) : 0;
	const known = gpuSubnetworksIn(request.region, gpuSubnetworks).length;
	if (known >= needed) return;
	const message = `Google Cloud: ${request.instanceType} with interconnect: high needs ${needed} GPU subnetworks in ${request.region}; the site's gpuSubnetworks lists ${known}`;
	throw new DriverError("invalid_request", message, { providerCode: "MissingGpuSubnetworks" });
}

/** Whether the site's GPU subnetworks exist, each in a separate VPC network. */
export async function describeGpuSubnetworks(
	compute: Pick<ComputeCalls, "subnetwork">,
	{ gpuSubnetworks, subnetworks, regions }: Pick<ParsedGcpSettings, "gpuSubnetworks" | "subnetworks" | "regions">,
): ReturnType<Look> {
	const byRegion = regions.map((region) => ({ region, own: gpuSubnetworksIn(region, gpuSubnetworks) })).filter(({ own }) => own.length > 0);
	if (byRegion.length === 0) return "Not set: jobs with interconnect: high do not use A3 machines.";
	for (const { region, own } of byRegion) {
		const networks = await ifAllowed(() =>
			Promise.all([subnetworks[region], ...own].map(async (name) => (await compute.subnetwork(region, name)).network)),
		);
		if (networks === null)
			return {
				unknown: `Google did not report the GPU subnetworks in ${region}.`,
				fix: "Check their names, and allow compute.subnetworks.get.",
			};
		const again = own.find((_, index) => networks.indexOf(networks[index + 1] ?? "") <= index);
		if (again !== undefined) return { failed: `${again} is in the VPC network of another interface. Each needs its own.` };
	}
	return byRegion.map(({ region, own }) => `${region}: ${plural(own.length, "subnetwork")}, each in its own network`).join("; ");
}
