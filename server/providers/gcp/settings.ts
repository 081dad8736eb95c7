import { z } from "zod";
import { gpuSubnetworksSchema } from "#server/domain/interconnect.ts";
import { siteMountsSchema } from "#server/domain/site-mount.ts";
import { cloudEndpointSchema } from "../cloud-endpoint.ts";
import { identityPolicySchema } from "../instance-identity.ts";

/** An image, or the latest of a family. */
const image = z
	.string()
	.regex(/^projects\/[a-z0-9.:-]+\/global\/images\/(family\/)?[a-z][a-z0-9-]*$/, "must be an image such as projects/p/global/images/i");

const region = z.string().regex(/^[a-z]+(-[a-z]+)+\d+$/, "must be a region such as us-central1");

/** The signing fields of a key file. Everything else in it is ignored, such as the address to which signatures are sent. */
export const gcpCredentialsSchema = z.object({
	type: z.literal("service_account", "must be a service account key (type service_account)"),
	client_email: z.email("must contain the account's client_email"),
	private_key: z.string().regex(/^-----BEGIN (RSA )?PRIVATE KEY-----/, "must contain a private_key in PEM format"),
});

export const gcpSettingsSchema = z.strictObject({
	/** The deployment's id, a label on every machine. A label value may contain only lowercase letters, digits, - and _. */
	controlPlane: z.string().regex(/^[a-z0-9_-]{1,63}$/, "must be valid as a label: a-z, 0-9, - and _, at most 63 characters"),
	/** The id of the Google Cloud project that pays, as opposed to its number or its name. */
	project: z.string().regex(/^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/, "must be a project id such as acme-bursts-417"),
	regions: z.array(region).min(1),
	/** An endpoint other than Google's, for an emulator: an address without a path. */
	endpoint: cloudEndpointSchema.optional(),
	/** Without them, Google's default chain applies. */
	credentials: gcpCredentialsSchema.optional(),
	/** The boot disk's image, or the latest of a family: projects/<project>/global/images/family/<family>. */
	image,
	/** The same for machines with TPUs; default: Google's own image for them. */
	tpuImage: image.optional(),
	/** Zones in which TPU slices of several hosts are launched and searched for orphans, through the TPU API. */
	tpuZones: z.array(z.string().regex(/^[a-z]+(-[a-z]+)+\d+-[a-z]$/, "must be a zone such as us-east5-b")).default([]),
	/** How long a slice may wait in Google's queue, s, before the job looks elsewhere. */
	tpuQueueSeconds: z.number().int().min(60).max(3_600).default(300),
	/** GB; deep-learning images require at least 50. */
	bootDiskGb: z.number().int().min(10).max(65_536).default(100),
	/** Must be supported by the machine types; A3 supports pd-balanced and pd-ssd. */
	bootDiskType: z.string().min(1).default("pd-balanced"),
	/** Subnetwork by region, as regions/<region>/subnetworks/<name>; default: the network `default`. */
	subnetworks: z.record(region, z.string().regex(/^(projects\/[a-z0-9.:-]+\/)?regions\/[a-z0-9-]+\/subnetworks\/[a-z0-9-]+$/)).default({}),
	/** Subnetworks for the GPU interfaces of gangs with a high-bandwidth interconnect, each in a separate VPC network. */
	gpuSubnetworks: gpuSubnetworksSchema.refine((all) => new Set(all).size === all.length, "must name each subnetwork once").default([]),
	/** Whether machines get an external address. Without one, the subnetwork needs Cloud NAT to reach the control plane. */
	externalAddress: z.boolean().default(true),
	/** Network tags by which firewall rules identify the machines. */
	networkTags: z.array(z.string().regex(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/)).default([]),
	/** Keys for logging in, as user:key. If a project enables Google's OS Login, it replaces such keys. */
	sshKeys: z
		.array(z.string().regex(/^[a-z_][a-z0-9_-]{0,31}:(ssh-|ecdsa-)\S+ \S+/, "must have the form ann:ssh-ed25519 AAAA…"))
		.default([]),
	/** Email of the machines' service account; without one they have no rights. */
	serviceAccount: z.email().optional(),
	/** Whether a machine's agent must present an identity document. Google signs nothing for machines without a `serviceAccount`. */
	instanceIdentity: identityPolicySchema,
	/** File systems that instances mount for jobs that request them by name. */
	mounts: siteMountsSchema(["folder", "export"]).optional(),
	/** Timeout of a call. After it the outcome is unknown, and the call is repeated. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** How long a launch waits for Google to report capacity; after it the same call is repeated. */
	capacityTimeoutMs: z.number().int().positive().default(60_000),
	/** Polling interval for an operation. */
	operationPollMs: z.number().int().positive().default(1_000),
	/** Rows per page of a list; Google allows 1 to 500. */
	pageSize: z.number().int().min(1).max(500).default(500),
	/** Whether prices are read from Google's billing catalog. If not, or while that fails, the shipped snapshot applies. */
	livePrices: z.boolean().default(true),
	/** A copy of that catalog, read without credentials: an address without a path. */
	priceEndpoint: z.url({ protocol: /^https?$/ }).optional(),
	/** An older on-demand price from a snapshot counts as stale: such prices change about once a year or less. */
	listPriceMaxAgeDays: z.number().int().positive().default(730),
	/** The same for a spot price, which Google may change at any time and typically changes at most once a month. */
	spotPriceMaxAgeDays: z.number().int().positive().default(180),
});
export type GcpSettings = z.input<typeof gcpSettingsSchema>;
export type ParsedGcpSettings = z.output<typeof gcpSettingsSchema>;

/**
 * The settings of a site from its row, for its control plane.
 * @throws Error with a line for each wrong setting
 */
export function gcpSiteSettings(siteId: string, row: Record<string, unknown>, controlPlane: string): ParsedGcpSettings {
	const result = gcpSettingsSchema.safeParse({ ...row, controlPlane });
	if (result.success) return result.data;
	const lines = result.error.issues.map((issue) => `${issue.path.join(".") || "settings"}: ${issue.message}`);
	throw new Error(`site ${siteId}: invalid settings:\n  ${lines.join("\n  ")}\nSee docs/providers/gcp.md`);
}
