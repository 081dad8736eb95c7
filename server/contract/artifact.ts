import { z } from "zod";
import { OUTPUT_KINDS } from "#server/domain/output.ts";
import { linkInput } from "./inputs/artifact.ts";
import { operation } from "./operation.ts";
import { byId, entityId } from "./parts.ts";

/** A result of a job. Sizes are bytes, times ISO 8601 in UTC. */
export const artifactSchema = z
	.object({
		id: z.string(),
		jobId: z.string(),
		attemptId: z.string(),
		team: z.string(),
		name: z.string(),
		kind: z.enum(OUTPUT_KINDS),
		files: z.number().int(),
		bytes: z.number().int(),
		digest: z.string().meta({ description: "SHA-256 over the sums and paths of all files: equal for equal content." }),
		createdAt: z.string(),
		expiresAt: z.string().nullable(),
		deletedAt: z.string().nullable().meta({ description: "When the files were deleted; the record stays as lineage." }),
		fileList: z.array(z.object({ path: z.string(), bytes: z.number().int(), sha256: z.string(), mediaType: z.string() })),
	})
	.meta({ id: "Artifact" });

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
