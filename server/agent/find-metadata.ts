import { readFileSync } from "node:fs";
import { GoogleMetadata } from "./google-metadata.ts";
import { Ec2Metadata, type MachineMetadata } from "./metadata.ts";
import type { AgentSettings } from "./settings.ts";

/** Amazon's and Google's own addresses of their metadata services. */
const EC2 = "http://169.254.169.254";
const GOOGLE = "metadata.google.internal";

/** The metadata service of the cloud whose machine this is: what the environment names, else what the firmware says. */
export function findMetadata(
	settings: Pick<AgentSettings, "ec2MetadataUrl" | "googleMetadataHost">,
	productName = readProductName(),
): MachineMetadata {
	if (settings.googleMetadataHost !== null) return new GoogleMetadata(settings.googleMetadataHost);
	if (settings.ec2MetadataUrl !== null) return new Ec2Metadata(settings.ec2MetadataUrl);
	return productName === "Google Compute Engine" ? new GoogleMetadata(GOOGLE) : new Ec2Metadata(EC2);
}

/** What the virtual hardware calls itself; empty where it says nothing. */
function readProductName(): string {
	try {
		return readFileSync("/sys/class/dmi/id/product_name", "utf8").trim();
	} catch {
		return "";
	}
}
