import { z } from "zod";
import { OUTPUT_KINDS } from "#server/domain/output.ts";
import { linkInput } from "./inputs/artifact.ts";
import { operation } from "./operation.ts";
import { byId, entityId, integerText } from "./parts.ts";

/** A result of a job. Sizes are bytes, times ISO 8601 in UTC. */
export const artifactSchema = z
	.object({
		id: z.string(),
		jobId: z.string(),
		attemptId: z.string(),
		runId: z.string().nullable().meta({ description: "The MLflow run that logged the file; null for a declared output." }),
		team: z.string(),
		name: z.string(),
		kind: z.enum(OUTPUT_KINDS),
		files: z.number().int(),
		bytes: z.number().int(),
		digest: z.string().meta({ description: "SHA-256 over the sums and paths of all files: equal for equal content." }),
		createdAt: z.string(),
		expiresAt: z.string().nullable(),
		deletedAt: z.string().nullable().meta({ description: "When the files were deleted; the record stays as lineage." }),
		storeId: z.string().nullable().meta({ description: "The team's store that has the files; null: the embedded one." }),
		microUsdPerMonth: integerText
			.nullable()
			.meta({ description: "Storage cost per month at the store's current price; null: no price is set." }),
		deliveries: z
			.array(
				z.object({
					target: z.string(),
					state: z.enum(["pending", "delivered", "failed"]),
					failures: z.number().int(),
					error: z.string().nullable(),
					nextAt: z.string().nullable(),
					deliveredAt: z.string().nullable(),
				}),
			)
			.meta({ description: "Copies to the places that the job names (`to`)." }),
		fileList: z.array(z.object({ path: z.string(), bytes: z.number().int(), sha256: z.string(), mediaType: z.string() })),
	})
	.meta({ id: "Artifact" });

const lineageSchema = z
	.object({
		artifactId: z.string(),
		jobId: z.string(),
		jobName: z.string(),
		attempt: z.number().int(),
		place: z.string(),
		command: z.array(z.string()),
		image: z.string().nullable(),
		imageDigest: z.string().nullable(),
		inputs: z.array(z.object({ uri: z.string(), digest: z.string().nullable() })),
		policyVersion: z.number().int().nullable(),
		costMicroUsd: z.string().meta({ description: "Of the attempt so far." }),
		emissionsGrams: z.number().nullable(),
		usedBy: z.array(z.object({ jobId: z.string(), name: z.string() })).meta({ description: "The newest 50 jobs that have it as data." }),
	})
	.meta({ id: "ArtifactLineage" });

const artifactPath = z.string({ error: "name a file of the artifact: ?path=…" }).min(1).max(1_024);

export const artifact = {
	list: operation({
		method: "GET",
		path: "/jobs/{id}/artifacts",
		summary: "List the results of a job with their files, newest attempt first",
		permission: "artifact:read",
		input: byId,
		output: z.array(artifactSchema),
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/artifacts/{id}",
		summary: "Get a result with its files, sizes and SHA-256 sums",
		permission: "artifact:read",
		input: byId,
		output: artifactSchema,
	}),
	lineage: operation({
		method: "GET",
		path: "/artifacts/{id}/lineage",
		summary: "Get what produced a result, what that cost, and the jobs that used it",
		permission: "artifact:read",
		input: byId,
		output: lineageSchema,
		procedure: "query",
	}),
	deliver: operation({
		method: "POST",
		path: "/artifacts/{id}/deliver",
		summary: "Retry the undelivered copies of a result now",
		permission: "artifact:delete",
		input: byId,
		output: z.object({ retried: z.number().int() }),
		write: true,
		procedure: "mutation",
	}),
	download: operation({
		method: "GET",
		path: "/artifacts/{id}/content",
		summary: "Download one file of a result; accepts one byte range",
		permission: "artifact:read",
		input: byId.extend({ path: artifactPath }),
		media: ["application/octet-stream"],
	}),
	createLink: operation({
		method: "POST",
		path: "/artifacts/{id}/links",
		summary: "Create a link that downloads one file of a result without a token, for at most an hour",
		permission: "artifact:read",
		input: linkInput.extend({ id: entityId }),
		status: 201,
		output: z.object({ url: z.string(), expiresAt: z.string() }),
		procedure: "mutation",
	}),
	delete: operation({
		method: "DELETE",
		path: "/artifacts/{id}",
		summary: "Delete the files of a result; its record stays as lineage",
		permission: "artifact:delete",
		input: byId,
		output: z.object({ id: z.string(), deleted: z.literal(true) }),
		write: true,
		procedure: "mutation",
	}),
};
