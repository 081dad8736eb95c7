import { DriverError } from "../driver-errors.ts";
import type { ComputeCalls } from "./client.ts";
import type { ParsedGcpSettings } from "./settings.ts";

/**
 * What a site names at Google's must be there before anything is bought. What the account may not look at is left to the
 * launch, which Google then refuses with its own words.
 * @throws DriverError invalid_request, with all that is missing
 */
export async function checkSite(compute: ComputeCalls, settings: ParsedGcpSettings, regions: ReadonlySet<string>): Promise<void> {
	const { project, image, tpuImage, subnetworks } = settings;
	const missing = settings.regions
		.filter((region) => !regions.has(region))
		.map((region) => `no region ${region} for the project ${project}`);
	// Only what the site names itself: that Google renames an image for TPUs is no reason to buy no GPUs.
	const images = tpuImage === undefined ? [image] : [image, tpuImage];
	for (const named of images) if ((await compute.imageExists(named)) === false) missing.push(`no image ${named}`);
	const asked = Object.entries(subnetworks).filter(([region]) => settings.regions.includes(region) && regions.has(region));
	for (const [region, subnetwork] of asked) {
		if ((await compute.subnetworkExists(subnetwork)) === false) missing.push(`no subnetwork ${subnetwork}, which is to serve ${region}`);
	}
	if (missing.length === 0) return;
	const message = `Google Cloud has ${missing.join("; ")}. Correct the site's settings, or make what is missing, before machines are bought`;
	throw new DriverError("invalid_request", message, { providerCode: "MissingResources" });
}
