import { DriverError } from "../driver-errors.ts";
import type { AzureCalls } from "./client.ts";
import { imageIn } from "./mapper.ts";
import type { ParsedAzureSettings } from "./settings.ts";

/**
 * Checks before any launch that each of the site's regions has the required settings, and that marketplace images exist. What the
 * account may not read is skipped; a launch then fails with Azure's own message.
 * @throws DriverError unauthorized and similar; invalid_request, with all that is missing
 */
export async function checkSite(azure: AzureCalls, settings: ParsedAzureSettings): Promise<void> {
	await azure.checkGroup();
	const missing = (await Promise.all(settings.regions.map((region) => missingIn(azure, settings, region)))).flat();
	if (missing.length === 0) return;
	const message = `The Azure site has ${missing.join("; ")}. Correct the site's settings before launching instances`;
	throw new DriverError("invalid_request", message, { providerCode: "MissingResources" });
}

async function missingIn(azure: AzureCalls, settings: ParsedAzureSettings, region: string): Promise<string[]> {
	const missing = settings.subnets[region] === undefined ? [`no subnet for ${region}`] : [];
	const image = imageIn(settings, region);
	if (image === null) return [...missing, `no machine image for ${region}`];
	if ("id" in image || (await azure.imageExists(region, image)) !== false) return missing;
	return [...missing, `the image ${image.publisher}:${image.offer}:${image.sku}, which Azure does not have in ${region}`];
}
