import type { IncomingMessage, ServerResponse } from "node:http";
import { jobDocumentSchema } from "#server/domain/job-schema.ts";
import { lineageFacetsSchema } from "#server/domain/lineage.ts";
import { pipelineDocumentSchema, sweepDocumentSchema } from "#server/domain/pipeline/pipeline-schema.ts";
import { policyDocumentSchema } from "#server/domain/policy-schema.ts";
import { toJsonSchema } from "#server/domain/schema/to-json-schema.ts";

export const SCHEMAS_PREFIX = "/schemas/";

const SCHEMAS: Readonly<Record<string, () => Record<string, unknown>>> = {
	"/schemas/job.json": () => toJsonSchema(jobDocumentSchema, "/schemas/job.json"),
	"/schemas/pipeline.json": () => toJsonSchema(pipelineDocumentSchema, "/schemas/pipeline.json"),
	"/schemas/sweep.json": () => toJsonSchema(sweepDocumentSchema, "/schemas/sweep.json"),
	"/schemas/lineage.json": () => toJsonSchema(lineageFacetsSchema, "/schemas/lineage.json"),
	"/schemas/policy.json": () => toJsonSchema(policyDocumentSchema, "/schemas/policy.json"),
};

/** The JSON Schema of a document, for editors. Public: it contains nothing about the installation. */
export function handleSchema(req: IncomingMessage, res: ServerResponse): void {
	const [path = ""] = (req.url ?? "").split("?", 1);
	const schema = Object.hasOwn(SCHEMAS, path) ? SCHEMAS[path]?.() : undefined;
	const body = schema ? JSON.stringify(schema) : `No such schema. Use one of: ${Object.keys(SCHEMAS).join(", ")}.`;
	res.writeHead(schema ? 200 : 404, {
		"content-type": schema ? "application/schema+json" : "text/plain; charset=utf-8",
		"content-length": Buffer.byteLength(body),
		// Browser-based editors fetch it from another origin.
		"access-control-allow-origin": "*",
		"cache-control": "public, max-age=300",
	});
	res.end(req.method === "HEAD" ? undefined : body);
}
