import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseCompanyText } from "./company-file.ts";
import { companyDocumentSchema, secretRefsOf } from "./company-schema.ts";
import { listFields } from "./schema/list-fields.ts";
import { renderTables } from "./schema/render-table.ts";

const PAGE = fileURLToPath(new URL("../../docs/company-file.md", import.meta.url));
const HEAD = "apiVersion: spillway/v1\nkind: Company\nspec:\n";

function problemsOf(text: string): string[] {
	try {
		parseCompanyText(text);
		return [];
	} catch (error) {
		const { fields = [] } = error as { fields?: { line?: number; column?: number; path: string; message: string }[] };
		return fields.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
	}
}

describe("the company file", () => {
	it("fills the tables of docs/company-file.md (run with -u to update them)", async () => {
		await expect(renderTables(readFileSync(PAGE, "utf8"), companyDocumentSchema)).toMatchFileSnapshot(PAGE);
	});

	it("describes each of its fields", () => {
		const own = listFields(companyDocumentSchema).filter(({ parent, name }) => !parent.startsWith("spec.policy") && name !== "spec");
		expect(own.filter((field) => !field.description).map((field) => field.name)).toEqual([]);
	});

	it("reports problems at line and column", () => {
		expect(problemsOf(`${HEAD}  teams:\n    - { name: a b }\n    - { nam: c }\n`)).toEqual([
			expect.stringMatching(/^5:15 spec\.teams\.0\.name: must be 1 to 63 letters/),
			expect.stringMatching(/^6:7 spec\.teams\.1\.name: is required/),
			expect.stringMatching(/^6:9 spec\.teams\.1\.nam: is not a known field/),
		]);
		expect(problemsOf(`${HEAD}  people:\n    - { email: ada, name: Ada, role: boss }\n`)).toEqual([
			expect.stringMatching(/^5:16 spec\.people\.0\.email: must be an email address/),
			expect.stringMatching(/^5:\d+ spec\.people\.0\.role: must be one of/),
		]);
		expect(problemsOf(`${HEAD}  teams: [\n`)[0]).toMatch(/Invalid YAML/);
		expect(problemsOf(`${HEAD}  teams:\n    - { name: a }\n    - { name: A }\n`)[0]).toContain(
			'6:15 spec.teams.1.name: "a" is listed twice',
		);
	});

	it("rejects expanding aliases and NUL", () => {
		const bomb = `a: &a [x, x]\n${"bcdefg"
			.split("")
			.map((key, i) => `${key}: &${key} [${`*${"abcdef"[i]},`.repeat(9)}]`)
			.join("\n")}\n`;
		expect(problemsOf(bomb)[0]).toMatch(/Invalid YAML|is not a known field/);
		expect(problemsOf(`${HEAD}  sites:\n    - { id: a, provider: aws, settings: { x: "\\0" } }\n`)[0]).toContain("NUL");
	});

	it("takes secrets by reference only", () => {
		const site = (credentials: string) => `${HEAD}  sites:\n    - { id: a, provider: aws, credentials: "${credentials}" }\n`;
		expect(problemsOf(site("AKIA123"))[0]).toContain("must be env:NAME or file:PATH");
		expect(secretRefsOf(parseCompanyText(site("env:AWS_KEY")).spec)).toEqual(["env:AWS_KEY"]);
	});

	it("keeps the policy's text and comments, and finds its places in the file", () => {
		const text = `${HEAD}  policy:\n    # Why.\n    rules:\n      - id: a\n        deny: { sites: [cloud] }\n\n  teams: []\n`;
		const { policy } = parseCompanyText(text);
		expect(policy?.source.split("\n").slice(4)).toEqual(["  rules:", "    - id: a", "      deny: { sites: [cloud] }", ""]);
		expect(policy?.locate({ line: 6, column: 5 })).toEqual({ line: 7, column: 7 });
		const flow = parseCompanyText(`${HEAD}  policy: { rules: [{ id: a, deny: { sites: [cloud] } }] }\n`);
		expect(flow.policy?.source).toContain("- id: a");
		expect(flow.policy?.locate({ line: 9, column: 9 })).toEqual({ line: 4, column: 11 });
	});
});
