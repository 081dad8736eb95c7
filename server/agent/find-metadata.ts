import { readFileSync } from "node:fs";
import { AzureMetadata } from "./azure-metadata.ts";
import { GoogleMetadata } from "./google-metadata.ts";
import { Ec2Metadata, type MachineMetadata } from "./metadata.ts";
import type { AgentSettings } from "./settings.ts";

/** The clouds' addresses of their metadata services. Amazon and Microsoft use the same one. */
const EC2 = "http://169.254.169.254";
const AZURE = "http://169.254.169.254";
const GOOGLE = "metadata.google.internal";

/** The chassis asset tag of every Azure machine (cloud-init, ds-identify, DMI_CHASSIS_ASSET_TAG). */
const AZURE_ASSET_TAG = "7783-7084-3265-9085-8269-3286-77";

/** Returns the metadata service of this machine's cloud, from the environment or else from the firmware. */
export function findMetadata(
	settings: Pick<AgentSettings, "ec2MetadataUrl" | "googleMetadataHost" | "azureMetadataUrl">,
	productName = readHardware("product_name"),
	assetTag = readHardware("chassis_asset_tag"),
): MachineMetadata {
	if (settings.googleMetadataHost !== null) return new GoogleMetadata(settings.googleMetadataHost);
	if (settings.azureMetadataUrl !== null) return new AzureMetadata(settings.azureMetadataUrl);
	if (settings.ec2MetadataUrl !== null) return new Ec2Metadata(settings.ec2MetadataUrl);
	if (assetTag === AZURE_ASSET_TAG) return new AzureMetadata(AZURE);
	return productName === "Google Compute Engine" ? new GoogleMetadata(GOOGLE) : new Ec2Metadata(EC2);
}

/** What the virtual firmware reports about a field; empty if nothing. */
function readHardware(fact: "product_name" | "chassis_asset_tag"): string {
	try {
		return readFileSync(`/sys/class/dmi/id/${fact}`, "utf8").trim();
	} catch {
		return "";
	}
}
