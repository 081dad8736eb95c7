import { z } from "zod";
import { siteMountsSchema } from "#server/domain/site-mount.ts";
import { cloudEndpointSchema } from "../cloud-endpoint.ts";
import { identityPolicySchema } from "../instance-identity.ts";

/** An image, or the newest of a family. */
const image = z
	.string()
	.regex(/^projects\/[a-z0-9.:-]+\/global\/images\/(family\/)?[a-z][a-z0-9-]*$/, "an image is written like projects/p/global/images/i");

const region = z.string().regex(/^[a-z]+(-[a-z]+)+\d+$/, "a region is written like us-central1");

/** Of a key file what signs: everything else in one, such as where to send what is signed, is left out. */
export const gcpCredentialsSchema = z.object({
	type: z.literal("service_account", "must be the key of a service account: its type is service_account"),
	client_email: z.email("a key file has the account's client_email"),
	private_key: z.string().regex(/^-----BEGIN (RSA )?PRIVATE KEY-----/, "a key file has a private_key in PEM form"),
});

export const gcpSettingsSchema = z.strictObject({
	/** The deployment's id, a label on every machine; a label's value holds lowercase letters, digits, - and _ only. */
	controlPlane: z.string().regex(/^[a-z0-9_-]{1,63}$/, "the control plane's id becomes a label: a-z, 0-9, - and _, at most 63"),
	/** The id of the Google Cloud project that pays, not its number or its name. */
	project: z.string().regex(/^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/, "a project id is written like acme-bursts-417"),
	regions: z.array(region).min(1),
	/** Another endpoint than Google's, for an emulator: an address without a path. */
	endpoint: cloudEndpointSchema.optional(),
	/** Without them Google's own chain is asked. */
	credentials: gcpCredentialsSchema.optional(),
	/** The boot disk's image, or the newest of a family: projects/<project>/global/images/family/<family>. */
	image,
	/** The same of machines with TPUs; without one Google's own for them. */
	tpuImage: image.optional(),
	/** GB; deep-learning images ask for at least 50. */
	bootDiskGb: z.number().int().min(10).max(65_536).default(100),
	/** Must be one that the machine types take; A3 takes pd-balanced and pd-ssd. */
	bootDiskType: z.string().min(1).default("pd-balanced"),
	/** Subnetwork by region, as regions/<region>/subnetworks/<name>; without one the network `default` is taken. */
	subnetworks: z.record(region, z.string().regex(/^(projects\/[a-z0-9.:-]+\/)?regions\/[a-z0-9-]+\/subnetworks\/[a-z0-9-]+$/)).default({}),
	/** Whether machines get their own address; without it the subnetwork needs Cloud NAT to reach the control plane. */
	externalAddress: z.boolean().default(true),
	/** What firewall rules know the machines by. */
	networkTags: z.array(z.string().regex(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/)).default([]),
	/** Who may log in, as user:key. Google's OS Login, where a project turns it on, takes the place of such keys. */
	sshKeys: z.array(z.string().regex(/^[a-z_][a-z0-9_-]{0,31}:(ssh-|ecdsa-)\S+ \S+/, "written like ann:ssh-ed25519 AAAA…")).default([]),
	/** Email of the service account for the machines; without one they have no rights. */
	serviceAccount: z.email().optional(),
	/** What a machine has to show when its agent comes; Google signs nothing for machines without a `serviceAccount`. */
	instanceIdentity: identityPolicySchema,
	/** File systems that instances mount for jobs that request them by name. */
	mounts: siteMountsSchema(["folder", "export"]).optional(),
	/** After it the outcome of a call is unknown and it is made again. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** How long a launch waits to learn whether there is capacity; after it the same call is made again. */
	capacityTimeoutMs: z.number().int().positive().default(60_000),
	/** Between two looks at an operation. */
	operationPollMs: z.number().int().positive().default(1_000),
	/** Rows in one page of a list; Google allows 1 to 500. */
	pageSize: z.number().int().min(1).max(500).default(500),
	/** Whether prices are read from Google's billing catalogue; else, and while that fails, the shipped snapshot's hold. */
	livePrices: z.boolean().default(true),
	/** A copy of that catalogue, asked without credentials: an address without a path. */
	priceEndpoint: z.url({ protocol: /^https?$/ }).optional(),
	/** A price on demand from a snapshot that is older than this counts as stale: such prices change about once a year or less. */
	listPriceMaxAgeDays: z.number().int().positive().default(730),
	/** The same of a spot price, which Google may change at any time and by experience changes at most once a month. */
	spotPriceMaxAgeDays: z.number().int().positive().default(180),
});
export type GcpSettings = z.input<typeof gcpSettingsSchema>;
export type ParsedGcpSettings = z.output<typeof gcpSettingsSchema>;

/**
 * The settings of a site from its row, for the control plane that it serves.
 * @throws Error with a line for each wrong setting
 */
export function gcpSiteSettings(siteId: string, row: Record<string, unknown>, controlPlane: string): ParsedGcpSettings {
	const result = gcpSettingsSchema.safeParse({ ...row, controlPlane });
	if (result.success) return result.data;
	const lines = result.error.issues.map((issue) => `${issue.path.join(".") || "settings"}: ${issue.message}`);
	throw new Error(`site ${siteId}: its settings are wrong:\n  ${lines.join("\n  ")}\ndocs/providers/gcp.md names them all`);
}
