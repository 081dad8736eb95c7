import { DriverError } from "../driver-errors.ts";
import type { AzureCalls } from "./client.ts";
import { imageIn } from "./mapper.ts";
import type { ParsedAzureSettings } from "./settings.ts";

/**
 * What a machine needs in each of the site's regions must be named, and a marketplace image be there, before anything is
 * bought. What the account may not look at is left to the launch, which Azure then refuses with its own words.
 * @throws DriverError unauthorized and the like; invalid_request, with all that is missing
 */
export async function checkSite(azure: AzureCalls, settings: ParsedAzureSettings): Promise<void> {
	await azure.checkGroup();
	const missing = (await Promise.all(settings.regions.map((region) => missingIn(azure, settings, region)))).flat();
	if (missing.length === 0) return;
	const message = `The Azure site has ${missing.join("; ")}. Correct its settings before machines are bought`;
	throw new DriverError("invalid_request", message, { providerCode: "MissingResources" });
}

async function missingIn(azure: AzureCalls, settings: ParsedAzureSettings, region: string): Promise<string[]> {
	const missing = settings.subnets[region] === undefined ? [`no subnet for ${region}`] : [];
	const image = imageIn(settings, region);
	if (image === null) return [...missing, `no machine image for ${region}`];
	if ("id" in image || (await azure.imageExists(region, image)) !== false) return missing;
	return [...missing, `the image ${image.publisher}:${image.offer}:${image.sku}, which Azure does not have in ${region}`];
}
