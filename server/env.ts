import { isIP } from "node:net";
import path from "node:path";
import { z } from "zod";
import { DEFAULT_GROUP_MAP, groupMapSchema } from "#server/domain/group-map.ts";
import { vaultOptionsSchema } from "#server/domain/job-secret.ts";
import { poolSpeedSchema } from "#server/domain/pool-speed.ts";
import { DEFAULT_RETENTION, retentionSchema } from "#server/domain/retention.ts";
import { hasPlainPath, isPlainHttpAllowed, isThisHost } from "#server/kernel/hosts.ts";

const DEVELOPMENT_SECRET = "development-secret-not-for-production";

const hostList = z
	.string()
	.default("")
	.transform((s) =>
		s
			.split(",")
			.map((host) => host.trim())
			.filter(Boolean),
	);

function isAddressOrNetwork(entry: string): boolean {
	const [address = "", bits = "0", ...rest] = entry.split("/");
	const version = isIP(address);
	return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

/** A setting that is JSON of this form. */
function jsonSetting<S extends z.ZodType>(form: S) {
	return z
		.string()
		.optional()
		.transform((text, ctx): z.output<S> | undefined => {
			if (text === undefined) return undefined;
			try {
				return form.parse(JSON.parse(text));
			} catch (error) {
				ctx.addIssue({ code: "custom", message: `is not valid: ${error instanceof Error ? error.message : error}` });
				return z.NEVER;
			}
		});
}

/** An address of this control plane. Its path is the base path of every page and call. */
const ownAddress = z
	.url({ protocol: /^https?$/, abort: true })
	.refine(
		isPlainHttpAllowed,
		"is plain http to a host that is not within a private network: tokens and logs of machines would be readable on the way. Put a proxy with TLS before the web server and name its https address",
	)
	.refine(hasPlainPath, "may have a host, a port and a path of letters, digits and -._~ only, such as https://example.com/spillway")
	.transform((url) => url.replace(/\/+$/, ""));

const agentNetworkSchema = z.strictObject({
	/** Address of this control plane for machines in clouds; unset: SPILLWAY_URL. */
	url: ownAddress.optional(),
	proxy: z
		.string()
		.regex(/^http:\/\/[\w.-]+:\d{1,5}$/, "must have the form http://host:port, without a password: user-data is readable in the cloud")
		.optional(),
	noProxy: z.array(z.string().regex(/^[\w.:*-]+$/, "must be a host name, *.domain or address")).default([]),
	/** PEM file that machines trust in addition to their image's authorities. */
	caFile: z.string().min(1).optional(),
});

const wrappedKeysSchema = z.strictObject({
	region: z.string().regex(/^[a-z0-9-]{1,40}$/, "must be an AWS region such as eu-central-1"),
	/** The ciphertext in base64, as `aws kms encrypt` prints it. */
	ciphertextFile: z.string().min(1),
	/** The encryption context that the keys were encrypted with. */
	context: z.record(z.string().min(1), z.string()).default({}),
	/** Another address of KMS, such as a VPC endpoint. */
	endpoint: z
		.url({ protocol: /^https?$/ })
		.refine(isPlainHttpAllowed, "must be https outside a private network")
		.optional(),
});

/** The only reader of process.env in the server. Every setting has a default that makes a demo on this machine. */
const schema = z.object({
	NODE_ENV: z.enum(["development", "production", "test"]).default("production"),
	SPILLWAY_HOME: z
		.string()
		.default(".spillway")
		.transform((p) => path.resolve(p)),
	SPILLWAY_HOST: z.string().default("127.0.0.1"),
	SPILLWAY_PORT: z.coerce.number().int().min(1).max(65535).default(3000),
	/** For people and instances. */
	SPILLWAY_URL: ownAddress.optional(),
	/** JSON `{"url": "https://spillway.internal", "proxy": "http://proxy.internal:3128", "caFile": "/etc/spillway/ca.pem"}`. */
	SPILLWAY_AGENT_NETWORK: jsonSetting(agentNetworkSchema),
	/** More host names that this server answers for, besides SPILLWAY_URL's and the loopback ones; comma-separated. */
	SPILLWAY_ALLOWED_HOSTS: hostList,
	/** Hosts, addresses and networks inside the network that webhooks and single sign-on may reach. */
	SPILLWAY_OUTGOING_HOSTS: hostList,
	/** Reverse proxies with a trusted X-Forwarded-For, besides those on this machine: addresses and networks, comma-separated. */
	SPILLWAY_TRUSTED_PROXIES: hostList.refine(
		(entries) => entries.every(isAddressOrNetwork),
		"takes addresses and networks such as 10.1.0.0/16, comma-separated",
	),
	/** Where the scheduler answers /healthz, /readyz and /metrics; unset: it does not listen. */
	SPILLWAY_SCHEDULER_HOST: z.string().default("127.0.0.1"),
	SPILLWAY_SCHEDULER_PORT: z.coerce.number().int().min(1).max(65535).optional(),
	/** Bearer token that /metrics demands; unset: none. */
	SPILLWAY_METRICS_TOKEN: z.string().min(16).optional(),
	/** OTLP/HTTP receiver of traces, without /v1/traces; unset: tracing is off. */
	OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
	/** Its address with path, instead. */
	OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
	OTEL_SERVICE_NAME: z.string().min(1).default("spillway"),
	/** Share of submissions that are traced when the caller has not decided. */
	OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
	/** Receiver of OpenLineage events, as OpenLineage's own clients name it; unset: lineage is off. */
	OPENLINEAGE_URL: z.url({ protocol: /^https?$/ }).optional(),
	OPENLINEAGE_ENDPOINT: z.string().min(1).default("api/v1/lineage"),
	OPENLINEAGE_API_KEY: z.string().min(1).optional(),
	OPENLINEAGE_NAMESPACE: z.string().min(1).max(200).default("spillway"),
	/** An MLflow server that runs are forwarded to; unset: none. A token, or a user name and password, is its credential. */
	MLFLOW_FORWARD_URL: z.url({ protocol: /^https?$/ }).optional(),
	MLFLOW_FORWARD_TOKEN: z.string().min(1).optional(),
	MLFLOW_FORWARD_USERNAME: z.string().min(1).optional(),
	MLFLOW_FORWARD_PASSWORD: z.string().min(1).optional(),
	/** Requests a minute for each token, and for each address of signed-in pages. */
	SPILLWAY_RATE_LIMIT: z.coerce.number().int().min(60).default(60_000),
	/** Folder of job logs, shared by all hosts; unset: `job-logs` in SPILLWAY_HOME. */
	SPILLWAY_LOGS: z
		.string()
		.min(1)
		.transform((p) => path.resolve(p))
		.optional(),
	/** Free space on the disk of SPILLWAY_HOME, MiB, below which changes and uploads are refused (507). */
	SPILLWAY_DISK_RESERVE_MIB: z.coerce.number().int().min(0).default(256),
	/** Any mode of `npm start` other than 0 is a demo, so that its other commands run with the same environment. */
	SPILLWAY_DEMO: z
		.enum(["0", "1", "quiet", "small"])
		.default("0")
		.transform((mode) => mode !== "0"),
	/** What the demo is made of: `company` with 116 GPUs, or `small` with four. `npm start` sets it. */
	SPILLWAY_DEMO_SIZE: z.enum(["company", "small"]).default("small"),
	/** The emulated Kubernetes of the company's halls; set by `npm start`. */
	SPILLWAY_HALL_B_ENDPOINT: z.url().optional(),
	SPILLWAY_HALL_C_ENDPOINT: z.url().optional(),
	/** A fixed password of the demo accounts; unset: generated at the first start and printed. */
	SPILLWAY_DEMO_PASSWORD: z.string().min(8).optional(),
	/** Key from which one-time secrets of instances are derived; kept in SPILLWAY_HOME by `npm start`. */
	SPILLWAY_SECRET: z.string().min(16).default(DEVELOPMENT_SECRET),
	/** Mail server for alerts and statements, e.g. smtps://user:password@mail.example.com; unset: mails fail and say so. */
	SPILLWAY_SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
	SPILLWAY_MAIL_FROM: z.string().default("Spillway <spillway@localhost>"),
	SPILLWAY_INSTANCE: z.string().default("unnamed"),
	DATABASE_URL: z.string().default("postgres://spillway@127.0.0.1:55432/spillway"),
	/** The server itself, when DATABASE_URL is a pooler in transaction mode: for LISTEN, session locks, migrations and backups. */
	DATABASE_DIRECT_URL: z.string().min(1).optional(),
	AUTH_SECRET: z.string().min(16).default(DEVELOPMENT_SECRET),
	OIDC_ISSUER: z.url().optional(),
	OIDC_CLIENT_ID: z.string().optional(),
	OIDC_CLIENT_SECRET: z.string().optional(),
	/** Entra refuses unknown scopes such as `groups`; there, use "openid profile email". */
	OIDC_SCOPES: z.string().min(1).default("openid profile email groups"),
	/** Claim that lists a person's groups; dots reach into nested claims (Keycloak: realm_access.roles). */
	OIDC_GROUPS_CLAIM: z.string().min(1).default("groups"),
	/** JSON `{"roles": {"<group>": "platform"}, "teams": {"<group>": "research"}, "teamPrefix": "spillway-team-"}`. */
	OIDC_GROUP_MAP: jsonSetting(groupMapSchema).transform((map) => map ?? DEFAULT_GROUP_MAP),
	/** 1: treat every address of this issuer as verified, for issuers that send no email_verified (Entra). */
	OIDC_TRUST_EMAIL: z
		.enum(["0", "1"])
		.default("0")
		.transform((v) => v === "1"),
	/** Shown to people without access: a contact, for example it@example.com. */
	SPILLWAY_ACCESS_CONTACT: z.string().max(200).default("your Spillway administrator"),
	/** Set for an emulated EC2 endpoint; unset speaks to the real one. */
	SPILLWAY_AWS_ENDPOINT: z.url().optional(),
	/** The same of Azure's resource manager and of Google's Compute Engine: they count before what a site's row says. */
	SPILLWAY_AZURE_ENDPOINT: z.url().optional(),
	SPILLWAY_GCP_ENDPOINT: z.url().optional(),
	SPILLWAY_AWS_REGIONS: z
		.string()
		.default("us-east-1,us-east-2,us-west-2,eu-west-1,eu-central-1")
		.transform((s) =>
			s
				.split(",")
				.map((r) => r.trim())
				.filter(Boolean),
		),
	SPILLWAY_AWS_IMAGE_ID: z.string().default("ami-0spillwaydemo0001"),
	SPILLWAY_LOCAL_SLOTS: z.coerce.number().int().min(0).max(1024).optional(),
	SPILLWAY_LOCAL_ACCELERATOR: z.string().default("L40S-48GB"),
	/** How fast jobs run in such a slot beside a cloud machine: 2 is half the time. */
	SPILLWAY_LOCAL_SPEED: z.coerce.number().pipe(poolSpeedSchema).default(1),
	/** File in the form of rclone.conf: what data sets are fetched by, with credentials (docs/data.md). */
	SPILLWAY_DELIVERY_ROOT: z.string().min(1).optional(),
	SPILLWAY_DATA_REMOTES: z.string().min(1).optional(),
	/** An API of the Electricity Maps form that the grid's intensity is read from each hour; unset: imports and the shipped averages. */
	SPILLWAY_CARBON_URL: z.url({ protocol: /^https?$/ }).optional(),
	SPILLWAY_CARBON_TOKEN: z.string().min(1).optional(),
	/** Keys under which sites' credentials are stored, the newest first; unset: the file credential-keys of SPILLWAY_HOME. */
	SPILLWAY_CREDENTIAL_KEYS: z.string().optional(),
	/** The same, encrypted by AWS KMS: JSON `{"region": "eu-central-1", "ciphertextFile": "/etc/spillway/credential-keys.kms"}`. */
	SPILLWAY_CREDENTIAL_KEYS_KMS: jsonSetting(wrappedKeysSchema),
	/** Folder with a folder for each team, for job secrets that are kept in files. */
	SPILLWAY_SECRET_FILES: z.string().min(1).optional(),
	/** JSON `{"address": "https://vault.example.com:8200", "tokenFile": "/run/vault/token"}`, for job secrets in a Vault or OpenBao. */
	SPILLWAY_VAULT: jsonSetting(vaultOptionsSchema),
	/** JSON with some limits of server/domain/retention.ts, such as `{"logs": {"days": 30}}`. */
	SPILLWAY_RETENTION: jsonSetting(retentionSchema).transform((limits) => limits ?? DEFAULT_RETENTION),
	/** JSON with some of the control loop's waiting times (server/control-loop/context.ts timingSchema). */
	SPILLWAY_TIMING: z
		.string()
		.default("{}")
		.transform((text, ctx): Record<string, unknown> => {
			try {
				return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
			} catch {
				ctx.addIssue({ code: "custom", message: "is not a JSON object" });
				return z.NEVER;
			}
		}),
});

export type Env = z.infer<typeof schema>;

let cached: Env | undefined;

/** @throws Error with one line for each wrong setting. */
export function env(): Env {
	if (cached) return cached;
	const result = schema.safeParse(process.env);
	if (!result.success) {
		const lines = result.error.issues.map((i) => `${i.path.join(".")}: ${i.message}`);
		throw new Error(`These settings in the environment are wrong:\n  ${lines.join("\n  ")}`);
	}
	cached = result.data;
	// For the pages: next.config.ts and underBase() read it.
	process.env["SPILLWAY_BASE_PATH"] = basePath(cached);
	// next-auth reads its own address from the environment. Without an issuer any address of this host may be used.
	if (cached.OIDC_ISSUER) process.env["AUTH_URL"] ??= new URL(publicUrl(cached)).origin;
	return cached;
}

const SITE_VARIABLE = "SPILLWAY_SITE_";

/** A variable with a site's credentials. Only these may be named by a site: no other secret of this process can be had by name. */
export function siteVariable(name: string): string | undefined {
	return name.startsWith(SITE_VARIABLE) ? process.env[name] : undefined;
}

/** @throws Error when a server that people and machines rely on would run with the secrets that everybody can read here. */
export function requireOwnSecrets(e: Env): void {
	if (e.NODE_ENV !== "production") return;
	const missing = (["AUTH_SECRET", "SPILLWAY_SECRET"] as const).filter((name) => e[name] === DEVELOPMENT_SECRET);
	if (missing.length === 0) return;
	throw new Error(
		`${missing.join(" and ")} must be set to a random text of your own, at least 16 characters: npm start makes them; otherwise for example by openssl rand -base64 32.`,
	);
}

/** @throws Error when the demo would be reachable from other machines: its people share a password and its jobs run on this machine. */
export function requireLoopbackDemo(e: Env): void {
	if (!e.SPILLWAY_DEMO || isThisHost(e.SPILLWAY_HOST)) return;
	throw new Error(
		`The demo listens on this machine alone, not on ${e.SPILLWAY_HOST}. Unset SPILLWAY_HOST, or turn the demo off with SPILLWAY_DEMO=0.`,
	);
}

/** The proxy for outgoing calls, by the names that curl and Node use; undefined when none is set. */
export function proxyEnvironment(): NodeJS.ProcessEnv | undefined {
	const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];
	const entries = names.flatMap((name): [string, string][] => {
		const value = process.env[name];
		return value ? [[name, value]] : [];
	});
	return entries.some(([name]) => !/^no_proxy$/i.test(name))
		? { ...Object.fromEntries(entries), NODE_ENV: process.env.NODE_ENV }
		: undefined;
}

/** The database server without a pooler. */
export function directDatabaseUrl(e: Env = env()): string {
	return e.DATABASE_DIRECT_URL ?? e.DATABASE_URL;
}

/** Folder of the log store. */
export function logFolder({ SPILLWAY_LOGS, SPILLWAY_HOME }: Pick<Env, "SPILLWAY_LOGS" | "SPILLWAY_HOME">): string {
	return SPILLWAY_LOGS ?? path.join(SPILLWAY_HOME, "job-logs");
}

/** The OTLP receiver's address for traces; null when tracing is off. */
export function tracesUrl({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole, OTEL_EXPORTER_OTLP_ENDPOINT: base }: Env): string | null {
	return whole ?? (base === undefined ? null : `${base.replace(/\/$/, "")}/v1/traces`);
}

/** The address that OpenLineage events are posted to; null when lineage is off. */
export function lineageUrl({ OPENLINEAGE_URL: base, OPENLINEAGE_ENDPOINT: path }: Env): string | null {
	return base === undefined ? null : `${base.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;
}

/** The address under which instances and people reach this control plane, without a slash at its end. */
export function publicUrl(e: Env = env()): string {
	return e.SPILLWAY_URL ?? `http://${e.SPILLWAY_HOST}:${e.SPILLWAY_PORT}`;
}

/** The address under which machines in clouds reach this control plane. */
export function agentUrl(e: Env = env()): string {
	return e.SPILLWAY_AGENT_NETWORK?.url ?? publicUrl(e);
}

/** The path before those of all pages and calls, such as "/spillway"; "" when this control plane has its own host. */
export function basePath(e: Env = env()): string {
	return e.SPILLWAY_URL === undefined ? "" : new URL(e.SPILLWAY_URL).pathname.replace(/\/$/, "");
}
