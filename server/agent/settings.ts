import path from "node:path";
import { z } from "zod";

const schema = z.object({
	SPILLWAY_CONTROL_URL: z.url({ protocol: /^https?$/ }),
	SPILLWAY_INSTANCE_ID: z.string().min(1),
	SPILLWAY_BOOTSTRAP_SECRET: z.string().min(16),
	SPILLWAY_EXPIRES_AT_MS: z.coerce.number().int().positive(),
	/** The machine is kept warm: it waits for a job before it enrolls. */
	SPILLWAY_WARM: z.literal("1").optional(),
	/** Folder of this agent. The job's work folder is in it. */
	SPILLWAY_AGENT_DIR: z
		.string()
		.min(1)
		.transform((p) => path.resolve(p)),
	/** The variable that the AWS SDKs use for another address of the metadata service. */
	AWS_EC2_METADATA_SERVICE_ENDPOINT: z.url().optional(),
	/** The variable of Google's libraries: a host, without http. */
	GCE_METADATA_HOST: z.string().min(1).optional(),
	/** The variable of Azure's libraries. */
	AZURE_POD_IDENTITY_AUTHORITY_HOST: z.url().optional(),
	/** `none`: ignore a job's image and run its command as a process of the machine. */
	SPILLWAY_CONTAINER_ENGINE: z.enum(["auto", "none"]).default("auto"),
	/** Where the engine and its helper programs are looked up. */
	PATH: z.string().default(""),
	SPILLWAY_METADATA_POLL_MS: z.coerce.number().int().min(10).default(1_000),
	/** Log lines that do not fit into memory wait on disk up to this limit. Beyond it, reading of the job's output pauses. */
	SPILLWAY_LOG_SPILL_BYTES: z.coerce
		.number()
		.int()
		.min(1_024)
		.default(1024 ** 3),
	SPILLWAY_LOG_MEMORY_BYTES: z.coerce
		.number()
		.int()
		.min(1_024)
		.default(4 * 1024 ** 2),
});

export interface AgentSettings {
	controlUrl: string;
	instanceId: string;
	bootstrapSecret: string;
	expiresAtMs: number;
	warm: boolean;
	folder: string;
	ec2MetadataUrl: string | null;
	googleMetadataHost: string | null;
	azureMetadataUrl: string | null;
	containers: boolean;
	searchPath: string;
	metadataPollMs: number;
	logSpillBytes: number;
	logMemoryBytes: number;
}

/**
 * Parses the settings that the user-data put into the environment, and removes the secret from it so that no child process can
 * read it.
 * @throws Error with a line for each wrong setting
 */
export function takeSettings(environment: NodeJS.ProcessEnv): AgentSettings {
	const result = schema.safeParse(environment);
	delete environment["SPILLWAY_BOOTSTRAP_SECRET"];
	if (!result.success) {
		const lines = result.error.issues.map((i) => `  ${i.path.join(".")}: ${i.message}`);
		throw new Error(`Invalid agent settings (set by the user data):\n${lines.join("\n")}`);
	}
	const s = result.data;
	return {
		controlUrl: s.SPILLWAY_CONTROL_URL.replace(/\/+$/, ""),
		instanceId: s.SPILLWAY_INSTANCE_ID,
		bootstrapSecret: s.SPILLWAY_BOOTSTRAP_SECRET,
		expiresAtMs: s.SPILLWAY_EXPIRES_AT_MS,
		warm: s.SPILLWAY_WARM !== undefined,
		folder: s.SPILLWAY_AGENT_DIR,
		ec2MetadataUrl: s.AWS_EC2_METADATA_SERVICE_ENDPOINT?.replace(/\/+$/, "") ?? null,
		googleMetadataHost: s.GCE_METADATA_HOST ?? null,
		azureMetadataUrl: s.AZURE_POD_IDENTITY_AUTHORITY_HOST?.replace(/\/+$/, "") ?? null,
		containers: s.SPILLWAY_CONTAINER_ENGINE === "auto",
		searchPath: s.PATH,
		metadataPollMs: s.SPILLWAY_METADATA_POLL_MS,
		logSpillBytes: s.SPILLWAY_LOG_SPILL_BYTES,
		logMemoryBytes: s.SPILLWAY_LOG_MEMORY_BYTES,
	};
}
