import { z } from "zod";
import { isMetadataHost } from "../kernel/hosts.ts";
import { line } from "./schema/values.ts";

/** Where a team keeps results and checkpoints. `folder` is a path shared by the control plane's hosts, such as an NFS mount. */
export const STORE_KINDS = ["s3", "gcs", "azblob", "webdav", "folder"] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

/** Stands for the embedded store wherever a store id is expected. */
export const EMBEDDED_STORE = "embedded";

/** S3 and compatible stores. `Other` has no token service, so cloud machines transfer through the control plane. */
export const S3_PROVIDERS = ["AWS", "Minio", "Ceph", "Other"] as const;

const bucket = z
	.string()
	.regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/, "must be a bucket name: 3 to 63 lower-case letters, digits, dots and dashes");
const prefix = line(512)
	.refine(
		(text) => !text.split("/").some((part) => part === "" || part === "." || part === ".."),
		"must be a relative path such as spillway",
	)
	// Session policies treat `*`, `?` and `${…}` as patterns, so machines could use other folders of the bucket.
	.refine((text) => !/[*?$"\\]/.test(text), 'must not contain * ? $ " or \\')
	.optional();
const address = z
	.url({ protocol: /^https?$/, error: "must be an http or https address", abort: true })
	.max(1_024)
	.refine(isStoreAddress, "must not be a cloud's metadata service");
/** A region as named in decisions, or the id of an owned site. */
const place = z
	.string()
	.regex(
		/^((aws|azure|gcp):[a-z0-9-]{2,40}|[a-z0-9][a-z0-9-]{0,62})$/,
		"must be a region such as aws:eu-west-1, or the id of an owned site",
	)
	.optional();

const common = { prefix, place };

export const storeConfigSchema = z.discriminatedUnion(
	"kind",
	[
		z.strictObject({
			...{ kind: z.literal("s3"), bucket, ...common },
			provider: z.enum(S3_PROVIDERS).default("AWS"),
			region: line(64).default("us-east-1"),
			endpoint: address.optional(),
			/** The role that machines assume for their prefix. Without one, AWS issues a federation token. */
			roleArn: z
				.string()
				.regex(/^arn:[a-z0-9-]+:iam::[^:]*:role\/.+$/, "must be the ARN of a role, such as arn:aws:iam::123456789012:role/spillway-store")
				.optional(),
			/** URL of the token service, if not the provider's usual one. */
			stsEndpoint: address.optional(),
		}),
		z.strictObject({ kind: z.literal("gcs"), bucket, ...common, endpoint: address.optional(), stsEndpoint: address.optional() }),
		z.strictObject({
			...{ kind: z.literal("azblob"), ...common, endpoint: address.optional() },
			account: z.string().regex(/^[a-z0-9]{3,24}$/, "must be a storage account: 3 to 24 lower-case letters and digits"),
			container: z.string().regex(/^[a-z0-9](-?[a-z0-9]){2,62}$/, "must be a container name"),
			/** With a hierarchical namespace a signature can be limited to a folder; with a flat one only to the container. */
			hierarchical: z.boolean().default(false),
		}),
		z.strictObject({
			kind: z.literal("webdav"),
			url: address,
			...common,
			vendor: z.enum(["other", "nextcloud", "owncloud"]).default("other"),
		}),
		z.strictObject({
			...{ kind: z.literal("folder"), place },
			path: line(1_024).refine((text) => text.startsWith("/") && !text.split("/").includes(".."), "must be an absolute path"),
		}),
	],
	{ error: ({ code }) => (code === "invalid_union" ? `must be one of ${STORE_KINDS.join(", ")}` : undefined) },
);
export type StoreConfig = z.output<typeof storeConfigSchema>;
export type ConfigOf<K extends StoreKind> = Extract<StoreConfig, { kind: K }>;

/** Dollars per GiB. Money is stored in micro-dollars: a smaller part would be rounded away, and a price of 0.0000001 would be free. */
export const usdPerGiBSchema = z
	.number()
	.min(0)
	.max(100)
	.refine((value) => Math.abs(value * 1e6 - Math.round(value * 1e6)) < 1e-4, "must have at most six decimals, such as 0.023");

const text = (max: number) => z.string().min(1).max(max);
/** The store's own credentials. They never leave the control plane. */
export const STORE_SECRETS = {
	s3: z.strictObject({ accessKeyId: text(128), secretAccessKey: text(256) }),
	gcs: z.strictObject({ serviceAccountKey: text(16_384).refine(isServiceAccountKey, "must be the JSON key of a service account") }),
	azblob: z.strictObject({ accountKey: text(256).regex(/^[A-Za-z0-9+/]+={0,2}$/, "must be the account's key in base64") }),
	webdav: z.strictObject({ user: text(256), password: text(1_024) }),
	folder: z.strictObject({}),
} as const satisfies Record<StoreKind, z.ZodType>;
export type StoreSecret<K extends StoreKind> = z.output<(typeof STORE_SECRETS)[K]>;

/** A store with its credentials decrypted. */
export type OpenStore = { [K in StoreKind]: { id: string; config: ConfigOf<K>; secret: StoreSecret<K> } }[StoreKind];

/** One rclone remote: its options, and the path in it that the caller may use. */
export interface StoreRemote {
	options: Record<string, string>;
	path: string;
}

/** A machine's permissions in a store, and their expiry. */
export interface StoreGrant {
	/** Below the store's prefix, without leading or trailing slashes. */
	folder: string;
	mode: "read" | "write";
	lifetimeMs: number;
	/** Session name in the provider's log: letters, digits and `_`. */
	session: string;
}

/** Whether short-lived credentials for one folder can be issued, so that machines transfer directly to and from the store. */
export function issuesCredentials(config: StoreConfig): boolean {
	return config.kind === "gcs" || config.kind === "azblob" || (config.kind === "s3" && config.provider !== "Other");
}

/** Location of a store, in the form that people write. */
export function storeAddress(config: StoreConfig): string {
	switch (config.kind) {
		case "s3":
			return joinPath(`s3://${config.bucket}`, config.prefix);
		case "gcs":
			return joinPath(`gs://${config.bucket}`, config.prefix);
		case "azblob":
			return joinPath(`azblob://${config.account}/${config.container}`, config.prefix);
		case "webdav":
			return joinPath(config.url.replace(/\/+$/, ""), config.prefix);
		case "folder":
			return config.path;
	}
}

/** Path parts joined by single slashes; empty and absent parts are left out. */
export function joinPath(...parts: (string | undefined)[]): string {
	return parts.filter((part) => part !== undefined && part !== "").join("/");
}

/** Unlike webhooks, stores may be inside the network. */
function isStoreAddress(url: string): boolean {
	return URL.canParse(url) && !isMetadataHost(new URL(url).hostname);
}

function isServiceAccountKey(value: string): boolean {
	try {
		const key: unknown = JSON.parse(value);
		return z.object({ client_email: z.string(), private_key: z.string(), token_uri: address.optional() }).safeParse(key).success;
	} catch {
		return false;
	}
}
