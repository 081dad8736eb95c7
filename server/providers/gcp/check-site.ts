import { DriverError } from "../driver-errors.ts";
import type { ComputeCalls } from "./client.ts";
import type { ParsedGcpSettings } from "./settings.ts";

/**
 * Checks before any launch that everything the site's settings name exists at Google. What the account may not read is skipped; a
 * launch then fails with Google's own message.
 * @throws DriverError invalid_request, with all that is missing
 */
export async function checkSite(compute: ComputeCalls, settings: ParsedGcpSettings, regions: ReadonlySet<string>): Promise<void> {
	const { project, image, tpuImage, subnetworks } = settings;
	const missing = settings.regions
		.filter((region) => !regions.has(region))
		.map((region) => `no region ${region} for the project ${project}`);
	// Only what the site itself names: if Google renames an image for TPUs, GPU launches must still work.
	const images = tpuImage === undefined ? [image] : [image, tpuImage];
	for (const named of images) if ((await compute.imageExists(named)) === false) missing.push(`no image ${named}`);
	const asked = Object.entries(subnetworks).filter(([region]) => settings.regions.includes(region) && regions.has(region));
	for (const [region, subnetwork] of asked) {
		if ((await compute.subnetworkExists(subnetwork)) === false) missing.push(`no subnetwork ${subnetwork}, which is set for ${region}`);
	}
	if (missing.length === 0) return;
	const message = `Google Cloud has ${missing.join("; ")}. Correct the site's settings or create what is missing, before launching instances`;
	throw new DriverError("invalid_request", message, { providerCode: "MissingResources" });
}
