import path from "node:path";
import { expect, it } from "vitest";
import { leastRightsIn, leastRightsReader } from "./least-rights.ts";

it("extracts only the marked blocks", () => {
	const text = '# A\n```json\n{"no": 1}\n```\n\n<!-- least rights: A policy -->\n```json\n{"yes": 1}\n```\n';
	expect(leastRightsIn(text)).toEqual([{ title: "A policy", language: "json", text: '{"yes": 1}' }]);
});

it.each(["aws", "azure", "gcp", "slurm"])("finds the block to paste for %s in its document", (provider) => {
	const blocks = leastRightsReader(path.resolve(import.meta.dirname, "../../../../docs"))(`providers/${provider}.md`);
	expect(blocks.length).toBeGreaterThan(0);
	for (const { language, text } of blocks) if (language === "json") expect(() => JSON.parse(text)).not.toThrow();
});

it("finds nothing in a missing document", () => {
	expect(leastRightsReader("/nonexistent")("providers/aws.md")).toEqual([]);
});
