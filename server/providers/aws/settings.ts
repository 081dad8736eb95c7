import { z } from "zod";
import { siteMountsSchema } from "#server/domain/site-mount.ts";
import { cloudEndpointSchema } from "../cloud-endpoint.ts";
import { identityPolicySchema } from "../instance-identity.ts";

const region = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region such as us-east-1");

/** An access key, as issued by IAM. A blank session token counts as none. */
export const awsCredentialsSchema = z.strictObject({
	accessKeyId: z.string().trim().min(1, "must be an access key id"),
	secretAccessKey: z.string().trim().min(1, "enter its secret"),
	sessionToken: z
		.string()
		.trim()
		.transform((token) => token || undefined)
		.optional(),
});

export const awsSettingsSchema = z.strictObject({
	/** The deployment's id, a tag on every machine. EC2 filters treat * and ? as wildcards, so they are not allowed. */
	controlPlane: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/),
	regions: z.array(region).min(1),
	/** An endpoint other than Amazon's, for an emulator. Plain http is allowed only on this host. */
	endpoint: cloudEndpointSchema.optional(),
	/** Without them, the SDK's default chain applies: environment, profile, instance role. */
	credentials: awsCredentialsSchema.optional(),
	/** The machine image: one for all regions, or one per region. */
	imageId: z.union([z.string().min(1), z.record(region, z.string().min(1))], "must be an image id, or one for each region"),
	/** Size of the gp3 root disk. A larger image keeps its own size. */
	rootDiskGiB: z.number().int().min(8).max(16_384).default(100),
	/** Subnet by zone or region. Without one, the default subnet of the zone is used. */
	subnets: z.record(z.string(), z.string().min(1)).default({}),
	/** Security groups by region. Without them, the VPC's default one is used. */
	securityGroups: z.record(region, z.array(z.string().min(1))).default({}),
	/** Name of the key pair for logging in to the machines, by region. Without one, no one can log in. */
	keyPairs: z.record(region, z.string().min(1)).default({}),
	/** Name of the IAM instance profile that grants the machine its rights. */
	instanceProfile: z.string().min(1).optional(),
	/** Whether a machine's agent must present an identity document. */
	instanceIdentity: identityPolicySchema,
	/** File systems that instances mount for jobs that request them by name. */
	mounts: siteMountsSchema(["folder", "export"]).optional(),
	/** The account that owns the machines. Without it, a document is accepted only after Amazon has reported the machine's id. */
	accountId: z
		.string()
		.regex(/^\d{12}$/, "must be an account id of 12 digits")
		.optional(),
	/** PEM by region. Overrides the shipped certificates with which Amazon signs, for regions that are newer. */
	identityCertificates: z
		.record(region, z.string().regex(/^-----BEGIN CERTIFICATE-----/, "must be a certificate in PEM format"))
		.default({}),
	connectTimeoutMs: z.number().int().positive().default(3_000),
	/** Timeout of a call. After it the outcome is unknown, and the call is repeated. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** Machines per page of a list; EC2 allows 5 to 1,000. */
	pageSize: z.number().int().min(5).max(1_000).default(500),
	/** Whether on-demand prices are read live from AWS. For an emulated endpoint, only if `true`. */
	livePrices: z.boolean().optional(),
	/** A list price from an older snapshot counts as stale. AWS changes on-demand prices about once a year or less. */
	listPriceMaxAgeDays: z.number().int().positive().default(730),
});
export type AwsSettings = z.input<typeof awsSettingsSchema>;
export type ParsedAwsSettings = z.output<typeof awsSettingsSchema>;

/** Whether the site's on-demand prices are read from the live price list, which overrides the shipped ones. */
export function readsLivePrices({ livePrices, endpoint }: ParsedAwsSettings): boolean {
	return livePrices ?? endpoint === undefined;
}
