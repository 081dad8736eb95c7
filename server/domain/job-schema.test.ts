import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseJobDocument } from "./job-file.ts";
import { jobDocumentSchema } from "./job-schema.ts";
import { listFields } from "./schema/list-fields.ts";
import { renderTables } from "./schema/render-table.ts";
import { toJsonSchema } from "./schema/to-json-schema.ts";

const PAGE = fileURLToPath(new URL("../../docs/job-file.md", import.meta.url));
const fields = listFields(jobDocumentSchema);

/** Other fields that the parents of a field require. */
const PARENTS: Readonly<Record<string, unknown>> = {
	scaling: { parallel: 0.5, upTo: 64 },
	curve: { gpus: 8, speed: 1 },
	data: [{ uri: "s3://a", mount: "/d" }],
	outputs: [{ name: "a", path: "out" }],
	checkpoint: { path: "/c" },
	secrets: [{ name: "token", env: "TOKEN" }],
};

describe("the job schema", () => {
	it("fills the tables of docs/job-file.md (run with -u to update them)", async () => {
		await expect(renderTables(readFileSync(PAGE, "utf8"), jobDocumentSchema)).toMatchFileSnapshot(PAGE);
	});

	it("describes every field", () => {
		expect(fields.filter((f) => !f.description).map((f) => f.name)).toEqual([]);
		expect(fields.filter((f) => f.parent.startsWith("spec") && !f.title).map((f) => f.name)).toEqual([]);
	});

	it("has examples that it accepts, for every field of the document", () => {
		for (const { parent, name, examples = [] } of fields) {
			for (const example of examples as unknown[]) {
				const document: Record<string, unknown> = structuredClone({
					apiVersion: "spillway/v1",
					kind: "Job",
					metadata: { name: "a", team: "t" },
					spec: { command: ["x"] },
				});
				const keys = parent.split(".");
				const below = keys.reduce<Record<string, unknown>>((at, key) => {
					at[key] ??= structuredClone(PARENTS[key] ?? {});
					return (Array.isArray(at[key]) ? at[key][0] : at[key]) as Record<string, unknown>;
				}, document);
				// A secret is a variable or a file.
				if (parent === "spec.secrets" && name === "file") delete below["env"];
				// Scaling is a share or a curve.
				if (parent === "spec.scaling" && name === "curve") delete below["parallel"];
				if (parent === "spec.scaling.curve") document["spec"] = { command: ["x"], scaling: { curve: [below, { gpus: 64, speed: 9 }] } };
				below[name] = example;
				expect(() => parseJobDocument(document), `${parent}.${name}`).not.toThrow();
			}
		}
	});

	it("knows types, defaults and which fields are required", () => {
		const byPath = new Map(fields.map((f) => [`${f.parent}.${f.name}`, f]));
		expect(byPath.get("spec.duration.max")).toMatchObject({ type: "duration", isRequired: false });
		expect(byPath.get("spec.resources.memoryGiB")).toMatchObject({ type: "GiB", title: "Memory per node" });
		expect(byPath.get("spec.data.uri")).toMatchObject({ isRequired: true });
		expect(byPath.get("spec.class")).toMatchObject({ defaultValue: "burst", choices: expect.arrayContaining(["sensitive"]) });
		expect(fields.filter((f) => f.isRequired).map((f) => f.name)).toEqual([
			...["apiVersion", "kind", "metadata", "name", "team", "spec", "command", "name"],
			...["gpus", "speed", "path", "uri", "mount", "name", "path"],
		]);
	});
});

describe("its JSON Schema", () => {
	const json = toJsonSchema(jobDocumentSchema, "/schemas/job.json");

	it("is closed, and has titles, examples, units and patterns", () => {
		expect(json).toMatchObject({
			$schema: "https://json-schema.org/draft/2020-12/schema",
			$id: "/schemas/job.json",
			title: "Spillway job",
			additionalProperties: false,
			required: ["apiVersion", "kind", "metadata", "spec"],
			properties: {
				spec: {
					required: ["command"],
					properties: {
						duration: { properties: { max: { type: "string", pattern: expect.stringContaining("ms|s|m|h|d"), examples: ["12h"] } } },
						resources: { properties: { memoryGiB: { "x-unit": "GiB", type: "number" } } },
						checkpoint: { properties: { interval: { default: "15m" } } },
						class: { default: "burst", enum: ["baseline", "burst", "experimental", "sensitive", "batch_inference"] },
					},
				},
			},
		});
	});

	it("contains no metadata that only Spillway uses", () => {
		expect(JSON.stringify(json)).not.toMatch(/"(docs|valueType|defaultText|starts|excludes|fix)":/);
	});
});
