import { readFileSync } from "node:fs";
import { AzureMetadata } from "./azure-metadata.ts";
import { GoogleMetadata } from "./google-metadata.ts";
import { Ec2Metadata, type MachineMetadata } from "./metadata.ts";
import type { AgentSettings } from "./settings.ts";

/** The clouds' own addresses of their metadata services; Amazon and Microsoft took the same. */
const EC2 = "http://169.254.169.254";
const AZURE = "http://169.254.169.254";
const GOOGLE = "metadata.google.internal";

/** What every machine of Azure's has for its chassis' asset tag (cloud-init, ds-identify, DMI_CHASSIS_ASSET_TAG). */
const AZURE_ASSET_TAG = "7783-7084-3265-9085-8269-3286-77";

/** The metadata service of this machine's cloud: named by the environment, else by the firmware. */
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

/** What the virtual hardware says of itself; empty where it says nothing. */
function readHardware(fact: "product_name" | "chassis_asset_tag"): string {
	try {
		return readFileSync(`/sys/class/dmi/id/${fact}`, "utf8").trim();
	} catch {
		return "";
	}
}
