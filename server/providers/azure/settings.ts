import { z } from "zod";
import { siteMountsSchema } from "#server/domain/site-mount.ts";
import { cloudEndpointSchema } from "../cloud-endpoint.ts";
import { identityPolicySchema } from "../instance-identity.ts";

const region = z.string().regex(/^[a-z]+\d?[a-z]*\d?$/, "a region is written in Azure's short form, like eastus or westeurope");
const resourceId = z
	.string()
	.regex(/^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/.+/i, "an Azure resource id begins with /subscriptions/");
const guid = z.guid("a GUID, as the portal and `az account show` give it");

const marketplaceImage = z.strictObject({
	publisher: z.string().min(1),
	offer: z.string().min(1),
	sku: z.string().min(1),
	version: z.string().default("latest"),
});
/** An image of the marketplace, or one of your own. */
export const azureImageSchema = z.union([
	marketplaceImage,
	z.strictObject({ id: z.string().regex(/^\//, "the resource id of an image or of a gallery's image version") }),
]);
export type AzureImage = z.output<typeof azureImageSchema>;

/** An application's own, as `az ad sp create-for-rbac` prints them under other names. */
export const azureCredentialsSchema = z.strictObject({
	tenantId: guid,
	clientId: guid,
	clientSecret: z.string().trim().min(1, "enter its secret"),
});

export const azureSettingsSchema = z.strictObject({
	/** The deployment's id, a tag on every machine. */
	controlPlane: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/),
	subscriptionId: guid,
	/** In which machines are made. Anything with our tag elsewhere in the subscription is found and ended too. */
	resourceGroup: z.string().regex(/^[A-Za-z0-9._()-]{0,89}[A-Za-z0-9_()-]$/, "a resource group's name has letters, digits and . _ - ( )"),
	regions: z.array(region).min(1),
	/** Another endpoint than Azure's, for an emulator; plain http on this host only. */
	endpoint: cloudEndpointSchema.optional(),
	/** Without them the SDK's own chain is asked: environment, workload identity, managed identity, `az login`. */
	credentials: azureCredentialsSchema.optional(),
	/** The subnet by region; Azure has no default network. */
	subnets: z.record(region, resourceId),
	/** Network security group by region; without one the subnet's own rules hold. */
	securityGroups: z.record(region, resourceId).default({}),
	/** The machine image: one for all regions, or one for each. It must run cloud-init, as the Ubuntu images do. */
	image: z
		.union([azureImageSchema, z.record(region, azureImageSchema)])
		.default({ publisher: "microsoft-dsvm", offer: "ubuntu-hpc", sku: "2204", version: "latest" }),
	osDiskGiB: z.number().int().min(30).max(4_095).default(128),
	/** By region, for reserved capacity. */
	capacityReservationGroups: z.record(region, resourceId).default({}),
	/**
	 * A user-assigned managed identity by which a machine deletes itself at its end, since one that is merely shut down goes on
	 * being billed. Whatever runs on the machine can use it.
	 */
	machineIdentity: resourceId.optional(),
	adminUsername: z
		.string()
		.regex(/^[a-z][a-z0-9_-]{0,31}$/)
		.default("spillway"),
	/** Anyone who may log in. Without it no one can: Azure requires a key, and gets one with a discarded private half. */
	sshPublicKey: z
		.string()
		.regex(/^ssh-\S+ \S+/)
		.optional(),
	/** What a machine has to show when its agent comes. */
	instanceIdentity: identityPolicySchema,
	/** File systems that instances mount for jobs that request them by name. */
	mounts: siteMountsSchema(["folder", "export"]).optional(),
	/** After it the outcome of a call is unknown and it is made again. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** How long a launch looks whether Azure finds room: it takes the request first and looks for room afterwards. */
	allocationWatchMs: z.number().int().min(0).default(20_000),
	allocationPollMs: z.number().int().positive().default(2_000),
	/** Where the public price list is read; `off` leaves it at the shipped snapshot, as an emulated endpoint does by itself. */
	priceList: z.union([z.literal("off"), z.url({ protocol: /^https?$/ })]).optional(),
	/** A price on demand that is older than this counts as stale; Azure changes such prices about once a year or less. */
	listPriceMaxAgeDays: z.number().int().positive().default(730),
	/** The same of a spot price, which Azure changes with supply. */
	spotPriceMaxAgeDays: z.number().int().positive().default(180),
});
export type AzureSettings = z.input<typeof azureSettingsSchema>;
export type ParsedAzureSettings = z.output<typeof azureSettingsSchema>;

/**
 * The settings of a site from its row, for the control plane that it serves. Credentials come from the SDK's own chain,
 * never from a row.
 * @throws Error with a line for each wrong setting
 */
export function azureSiteSettings(siteId: string, row: Record<string, unknown>, controlPlane: string): ParsedAzureSettings {
	const result = azureSettingsSchema.omit({ credentials: true }).safeParse({ ...row, controlPlane });
	if (result.success) return result.data;
	const lines = result.error.issues.map((issue) => `${issue.path.join(".") || "settings"}: ${issue.message}`);
	throw new Error(`site ${siteId}: its settings are wrong:\n  ${lines.join("\n  ")}\ndocs/providers/azure.md names them all`);
}
