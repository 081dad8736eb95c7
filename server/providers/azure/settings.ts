import { z } from "zod";
import { siteMountsSchema } from "#server/domain/site-mount.ts";
import { cloudEndpointSchema } from "../cloud-endpoint.ts";
import { identityPolicySchema } from "../instance-identity.ts";

const region = z.string().regex(/^[a-z]+\d?[a-z]*\d?$/, "must be a region in Azure's short form, such as eastus or westeurope");
const resourceId = z
	.string()
	.regex(
		/^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/.+/i,
		"must be an Azure resource id, which begins with /subscriptions/",
	);
const guid = z.guid("must be a GUID, as shown by the portal and `az account show`");

const marketplaceImage = z.strictObject({
	publisher: z.string().min(1),
	offer: z.string().min(1),
	sku: z.string().min(1),
	version: z.string().default("latest"),
});
/** A marketplace image or a custom one. */
export const azureImageSchema = z.union([
	marketplaceImage,
	z.strictObject({ id: z.string().regex(/^\//, "must be the resource id of an image or of a gallery image version") }),
]);
export type AzureImage = z.output<typeof azureImageSchema>;

/** An application's credentials, as `az ad sp create-for-rbac` prints them under other names. */
export const azureCredentialsSchema = z.strictObject({
	tenantId: guid,
	clientId: guid,
	clientSecret: z.string().trim().min(1, "enter its secret"),
});

export const azureSettingsSchema = z.strictObject({
	/** The deployment's id, a tag on every machine. */
	controlPlane: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/),
	subscriptionId: guid,
	/** The group in which machines are created. Anything with our tag elsewhere in the subscription is found and deleted too. */
	resourceGroup: z
		.string()
		.regex(/^[A-Za-z0-9._()-]{0,89}[A-Za-z0-9_()-]$/, "must be a resource group name: letters, digits and . _ - ( )"),
	regions: z.array(region).min(1),
	/** An endpoint other than Azure's, for an emulator. Plain http is allowed only on this host. */
	endpoint: cloudEndpointSchema.optional(),
	/** Without them, the SDK's default chain applies: environment, workload identity, managed identity, `az login`. */
	credentials: azureCredentialsSchema.optional(),
	/** The subnet by region; Azure has no default network. */
	subnets: z.record(region, resourceId),
	/** Network security group by region. Without one, only the subnet's rules apply. */
	securityGroups: z.record(region, resourceId).default({}),
	/** The machine image: one for all regions, or one per region. It must run cloud-init, as the Ubuntu images do. */
	image: z
		.union([azureImageSchema, z.record(region, azureImageSchema)])
		.default({ publisher: "microsoft-dsvm", offer: "ubuntu-hpc", sku: "2204", version: "latest" }),
	osDiskGiB: z.number().int().min(30).max(4_095).default(128),
	/** Capacity reservation group by region. */
	capacityReservationGroups: z.record(region, resourceId).default({}),
	/**
	 * A user-assigned managed identity that lets a machine delete itself at its end, because a machine that is only shut down is
	 * still billed. Everything that runs on the machine can use it.
	 */
	machineIdentity: resourceId.optional(),
	adminUsername: z
		.string()
		.regex(/^[a-z][a-z0-9_-]{0,31}$/)
		.default("spillway"),
	/** Public key for logging in. Without it no one can: Azure requires a key, and gets one with a discarded private half. */
	sshPublicKey: z
		.string()
		.regex(/^ssh-\S+ \S+/)
		.optional(),
	/** Whether a machine's agent must present an identity document. */
	instanceIdentity: identityPolicySchema,
	/** File systems that instances mount for jobs that request them by name. */
	mounts: siteMountsSchema(["folder", "export"]).optional(),
	/** Timeout of a call. After it the outcome is unknown, and the call is repeated. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** How long a launch watches whether Azure finds capacity: Azure accepts the request first and allocates afterwards. */
	allocationWatchMs: z.number().int().min(0).default(20_000),
	allocationPollMs: z.number().int().positive().default(2_000),
	/** Where the public price list is read. `off` uses the shipped snapshot, the default for an emulated endpoint. */
	priceList: z.union([z.literal("off"), z.url({ protocol: /^https?$/ })]).optional(),
	/** An older on-demand price counts as stale; Azure changes such prices about once a year or less. */
	listPriceMaxAgeDays: z.number().int().positive().default(730),
	/** The same for a spot price, which Azure changes with supply. */
	spotPriceMaxAgeDays: z.number().int().positive().default(180),
});
export type AzureSettings = z.input<typeof azureSettingsSchema>;
export type ParsedAzureSettings = z.output<typeof azureSettingsSchema>;

/**
 * The settings of a site from its row, for its control plane. Credentials come from the SDK's default chain, never from a row.
 * @throws Error with a line for each wrong setting
 */
export function azureSiteSettings(siteId: string, row: Record<string, unknown>, controlPlane: string): ParsedAzureSettings {
	const result = azureSettingsSchema.omit({ credentials: true }).safeParse({ ...row, controlPlane });
	if (result.success) return result.data;
	const lines = result.error.issues.map((issue) => `${issue.path.join(".") || "settings"}: ${issue.message}`);
	throw new Error(`site ${siteId}: invalid settings:\n  ${lines.join("\n  ")}\nSee docs/providers/azure.md`);
}
