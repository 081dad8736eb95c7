import { z } from "zod";
import { siteMountsSchema } from "#server/domain/site-mount.ts";
import { cloudEndpointSchema } from "../cloud-endpoint.ts";
import { identityPolicySchema } from "../instance-identity.ts";

const region = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "a region is written like us-east-1");

/** An access key, as IAM hands it out. A blank session token is none. */
export const awsCredentialsSchema = z.strictObject({
	accessKeyId: z.string().trim().min(1, "enter the id of an access key"),
	secretAccessKey: z.string().trim().min(1, "enter its secret"),
	sessionToken: z
		.string()
		.trim()
		.transform((token) => token || undefined)
		.optional(),
});

export const awsSettingsSchema = z.strictObject({
	/** The deployment's id, a tag on every machine. EC2 filters take * and ? for wildcards, so they are not allowed. */
	controlPlane: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/),
	regions: z.array(region).min(1),
	/** Another endpoint than Amazon's, for an emulator; plain http on this host only. */
	endpoint: cloudEndpointSchema.optional(),
	/** Without them the SDK's own chain is asked: environment, profile, instance role. */
	credentials: awsCredentialsSchema.optional(),
	/** The machine image: one for all regions, or one for each. */
	imageId: z.union([z.string().min(1), z.record(region, z.string().min(1))], "an image's id, or one for each region"),
	/** Of gp3; an image that is larger keeps its own size. */
	rootDiskGiB: z.number().int().min(8).max(16_384).default(100),
	/** Subnet by zone or region; without one the default subnet of the zone is taken. */
	subnets: z.record(z.string(), z.string().min(1)).default({}),
	/** Security groups by region; without them the VPC's default one is taken. */
	securityGroups: z.record(region, z.array(z.string().min(1))).default({}),
	/** Name of the key pair for logging in to the machines, by region; without one no one can. */
	keyPairs: z.record(region, z.string().min(1)).default({}),
	/** Name of the IAM instance profile that gives the machine its rights. */
	instanceProfile: z.string().min(1).optional(),
	/** What a machine has to show when its agent comes. */
	instanceIdentity: identityPolicySchema,
	/** File systems that instances mount for jobs that request them by name. */
	mounts: siteMountsSchema(["folder", "export"]).optional(),
	/** The account that owns the machines. Without it, a document counts once Amazon has reported the machine's id. */
	accountId: z
		.string()
		.regex(/^\d{12}$/, "an account's id has twelve digits")
		.optional(),
	/** PEM by region, in place of the shipped certificates by which Amazon signs; for regions that are newer. */
	identityCertificates: z.record(region, z.string().regex(/^-----BEGIN CERTIFICATE-----/, "a certificate is given as PEM")).default({}),
	connectTimeoutMs: z.number().int().positive().default(3_000),
	/** After it the outcome of a call is unknown and it is made again. */
	answerTimeoutMs: z.number().int().positive().default(20_000),
	/** Machines in one page of a list; EC2 allows 5 to 1,000. */
	pageSize: z.number().int().min(5).max(1_000).default(500),
	/** Whether on-demand prices are AWS's own of now; an emulated endpoint's are asked for only by `true`. */
	livePrices: z.boolean().optional(),
	/** A list price from a snapshot that is older than this counts as stale. AWS changes on-demand prices about once a year or less. */
	listPriceMaxAgeDays: z.number().int().positive().default(730),
});
export type AwsSettings = z.input<typeof awsSettingsSchema>;
export type ParsedAwsSettings = z.output<typeof awsSettingsSchema>;

/** Whether the site's prices on demand are read of the price list, over the shipped ones. */
export function readsLivePrices({ livePrices, endpoint }: ParsedAwsSettings): boolean {
	return livePrices ?? endpoint === undefined;
}
