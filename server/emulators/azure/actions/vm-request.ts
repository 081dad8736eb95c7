import { createHash } from "node:crypto";
import { z } from "zod";
import { ArmError, invalidParameter, missingParameter, notEmulated } from "../arm-error.ts";
import { unknownFields } from "../wire/sdk-schema.ts";
import { readTags, type Tags } from "./tags.ts";

/** Azure's limit for custom data, in base64 characters. */
const MAX_CUSTOM_DATA = 87_380;

/** The supported fields, as paths. A path includes everything below it. */
const SUPPORTED = [
	"location",
	"tags",
	"zones",
	"properties.availabilitySet.id",
	"properties.hardwareProfile.vmSize",
	"properties.priority",
	"properties.evictionPolicy",
	"properties.billingProfile.maxPrice",
	"properties.osProfile.computerName",
	"properties.osProfile.customData",
	// Accepted without effect: an emulated machine has this host's disk, network and identity, and no one logs in.
	"identity",
	"properties.capacityReservation",
	"properties.diagnosticsProfile",
	"properties.networkProfile",
	"properties.osProfile.adminPassword",
	"properties.osProfile.adminUsername",
	"properties.osProfile.linuxConfiguration",
	"properties.securityProfile",
	"properties.storageProfile",
];

const text = z.string().min(1);
const schema = z.looseObject({
	location: text.optional(),
	tags: z.record(z.string(), z.string()).optional(),
	zones: z.array(text).optional(),
	properties: z
		.looseObject({
			availabilitySet: z.looseObject({ id: text }).optional(),
			hardwareProfile: z.looseObject({ vmSize: text.optional() }).optional(),
			priority: z.enum(["Regular", "Low", "Spot"]).optional(),
			evictionPolicy: z.enum(["Deallocate", "Delete"]).optional(),
			billingProfile: z.looseObject({ maxPrice: z.number().optional() }).optional(),
			storageProfile: z
				.looseObject({
					imageReference: z.looseObject({}).optional(),
					osDisk: z.looseObject({ createOption: text.optional() }).optional(),
				})
				.optional(),
			osProfile: z
				.looseObject({
					computerName: text.optional(),
					adminUsername: text.optional(),
					adminPassword: text.optional(),
					customData: z.string().optional(),
					linuxConfiguration: z.looseObject({ ssh: z.looseObject({ publicKeys: z.array(z.unknown()) }).optional() }).optional(),
				})
				.optional(),
			networkProfile: z
				.looseObject({
					networkApiVersion: text.optional(),
					networkInterfaces: z.array(z.unknown()).optional(),
					networkInterfaceConfigurations: z.array(z.unknown()).optional(),
				})
				.optional(),
		})
		.optional(),
});
type Body = z.output<typeof schema>;
type Properties = NonNullable<Body["properties"]>;

/** A requested machine, checked as far as possible without the state of the cloud. */
export interface VmRequest {
	region: string;
	zone: string | null;
	vmSize: string;
	spot: boolean;
	availabilitySetId: string | null;
	/** USD per hour; -1: any price up to on-demand. */
	maxPriceUsd: number;
	customData: string;
	tags: Tags;
	fingerprint: string;
	/** The part of the request that Azure returns. */
	shown: Record<string, unknown>;
}

/** @throws ArmError for requests that Azure would reject, and for features that this endpoint does not support */
export async function readVmRequest(json: unknown): Promise<VmRequest> {
	const parsed = schema.safeParse(json);
	if (!parsed.success) throw new ArmError("InvalidRequestFormat", `Cannot parse the request: ${z.prettifyError(parsed.error)}`);
	const body = parsed.data;
	const [unknown] = await unknownFields(body);
	if (unknown !== undefined)
		throw new ArmError("InvalidRequestContent", `Could not find member '${unknown}' on object of type 'VirtualMachine'.`);
	const unsupported = pathsOf(body, "").find((path) => !SUPPORTED.some((known) => path === known || path.startsWith(`${known}.`)));
	if (unsupported !== undefined) throw notEmulated(`the field ${unsupported}`);
	const { location, zones = [], properties = {} } = body;
	if (location === undefined) throw new ArmError("LocationRequired", "The location property is required for this definition.");
	if (zones.length > 1) throw invalidParameter("zones", "a virtual machine has one zone at most.");
	const vmSize = properties.hardwareProfile?.vmSize;
	if (vmSize === undefined) throw missingParameter("hardwareProfile.vmSize");
	readStorage(properties);
	readNetwork(properties);
	return {
		region: location.toLowerCase().replaceAll(" ", ""),
		zone: zones[0] ?? null,
		vmSize,
		availabilitySetId: properties.availabilitySet?.id ?? null,
		...readPriority(properties),
		customData: readOs(properties),
		tags: readTags(body.tags ?? {}),
		fingerprint: createHash("sha256").update(JSON.stringify(body)).digest("hex"),
		shown: shownOf(body),
	};
}

function readPriority(properties: Properties): Pick<VmRequest, "spot" | "maxPriceUsd"> {
	const { priority = "Regular", evictionPolicy, billingProfile } = properties;
	const maxPriceUsd = billingProfile?.maxPrice ?? -1;
	if (priority === "Regular") {
		if (evictionPolicy !== undefined)
			throw new ArmError(
				"EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines",
				"Eviction policy can be set only on Azure Spot Virtual Machines.",
			);
		if (billingProfile !== undefined)
			throw new ArmError("MaxPriceIsSupportedOnlyForAzureSpotVirtualMachines", "Max price can be set only on Azure Spot Virtual Machines.");
		return { spot: false, maxPriceUsd };
	}
	if (evictionPolicy !== "Delete") throw notEmulated(`the eviction policy ${evictionPolicy ?? "Deallocate"}`);
	if (maxPriceUsd !== -1 && maxPriceUsd <= 0)
		throw new ArmError(
			"MaxPriceValueInvalid",
			"Invalid max price value. The only supported values for max price are -1 or a decimal greater than zero.",
		);
	return { spot: true, maxPriceUsd };
}

function readStorage({ storageProfile }: Properties): void {
	if (storageProfile?.imageReference === undefined) throw missingParameter("storageProfile.imageReference");
	const createOption = storageProfile.osDisk?.createOption;
	if (createOption !== "FromImage") throw invalidParameter("osDisk.createOption", "a machine that is made from an image needs FromImage.");
}

function readNetwork({ networkProfile }: Properties): void {
	const { networkApiVersion, networkInterfaces = [], networkInterfaceConfigurations = [] } = networkProfile ?? {};
	if (networkInterfaces.length + networkInterfaceConfigurations.length === 0)
		throw new ArmError("NetworkProfileNotSpecified", "A virtual machine needs a network interface.");
	if (networkInterfaceConfigurations.length > 0 && networkApiVersion === undefined)
		throw missingParameter("networkProfile.networkApiVersion");
}

/** @returns the custom data, base64 */
function readOs({ osProfile }: Properties): string {
	const { computerName, adminUsername, adminPassword, customData = "", linuxConfiguration } = osProfile ?? {};
	if (computerName === undefined) throw missingParameter("osProfile.computerName");
	if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(computerName))
		throw invalidParameter("computerName", "a Linux host name has 1 to 64 letters, digits and hyphens.");
	if (adminUsername === undefined) throw missingParameter("osProfile.adminUsername");
	if (adminPassword === undefined && (linuxConfiguration?.ssh?.publicKeys ?? []).length === 0)
		throw new ArmError(
			"InvalidParameter",
			"Authentication using either SSH or by user name and password must be enabled in Linux profile.",
		);
	const bytes = Buffer.from(customData, "base64");
	if (customData.length > MAX_CUSTOM_DATA || bytes.toString("base64") !== customData)
		throw new ArmError(
			"InvalidParameter",
			`Custom data in OSProfile must be in Base64 encoding and with a maximum length of ${MAX_CUSTOM_DATA} characters.`,
		);
	return customData;
}

/** Azure never returns custom data and passwords. */
function shownOf({ properties = {}, ...rest }: Body): Record<string, unknown> {
	const { customData: _data, adminPassword: _password, ...osProfile } = properties.osProfile ?? {};
	return { ...rest, properties: { ...properties, osProfile } };
}

function pathsOf(value: unknown, path: string): string[] {
	if (typeof value !== "object" || value === null) return [path];
	return Object.entries(value).flatMap(([key, below]) => pathsOf(below, path === "" ? key : `${path}.${key}`));
}
