import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkWords, countByRoom, findWords, roomOf } from "./check.mjs";
import { WORD_LIST } from "./word-list.mjs";

/** Built from two halves, so that this file contains none of the words that it plants. */
const NO_ONE = ["no", "body"].join("");
const AGAIN = ["a", "new"].join("");
const NO_ONE_IN_NAMES = ["No", "body"].join("");

const wordsIn = (file, content) => findWords(file, content).map(({ line, word }) => `${line} ${word}`);

describe("findWords", () => {
	test.each([
		["a comment", `const a = 1;\n// ${NO_ONE} reads it\n`, "a.ts"],
		["a block comment", `/**\n * ${NO_ONE}\n */`, "a.ts"],
		["a string", `const a =\n"for ${NO_ONE}";`, "a.ts"],
		["a template", `const a =\n\`\${b} for ${NO_ONE}\`;`, "a.ts"],
		["a test title", `test(\n"is for ${NO_ONE}", () => {});`, "a.test.ts"],
		["JSX text", `const a = <p>\nFor ${NO_ONE}</p>;`, "a.tsx"],
		["an attribute", `const a = <p\ntitle="For ${NO_ONE}" />;`, "a.tsx"],
		["a name in code", `\nfunction isFor${NO_ONE_IN_NAMES}() {}`, "a.mjs"],
		["Markdown", `# Title\nFor ${NO_ONE}.`, "a.md"],
	])("finds a word in %s", (_where, content, file) => {
		expect(wordsIn(file, content).map((found) => found.toLowerCase())).toEqual([`2 ${NO_ONE}`]);
	});

	test.each([
		["a name from a library", `import { x } from "lib"; x.${NO_ONE}();`, "a.ts"],
		["an import path", `import { x } from "./${NO_ONE}.ts";`, "a.ts"],
		["a single word in code, such as a Unix account", `const user = "${NO_ONE}";`, "a.ts"],
		["a longer word", `// re${AGAIN}al`, "a.ts"],
		["fenced code", `\`\`\`\n${NO_ONE}\n\`\`\``, "a.md"],
		["inline code", `The account \`${NO_ONE}\`.`, "a.md"],
		["a link target", `[text](${AGAIN}.md)`, "a.md"],
	])("ignores %s", (_where, content, file) => {
		expect(wordsIn(file, content)).toEqual([]);
	});

	test("suggests a replacement for every word in the list", () => {
		for (const { pattern, use } of WORD_LIST) {
			expect(() => new RegExp(pattern)).not.toThrow();
			expect(use).not.toBe("");
		}
	});
});

describe("checkWords", () => {
	const base = mkdtempSync(path.join(os.tmpdir(), "spillway-words-"));
	afterAll(() => rmSync(base, { recursive: true, force: true }));
	execFileSync("git", ["init", "--quiet", base]);
	writeFileSync(path.join(base, "a.md"), `${NO_ONE} and ${AGAIN}`);

	test("reads files that are not committed yet", () => {
		expect(checkWords(base, [], []).findings).toHaveLength(2);
	});

	test("skips what an exception allows", () => {
		const exception = { file: "a.md", word: AGAIN, reason: "a quotation" };
		const { findings, unused } = checkWords(base, [], [exception]);
		expect(findings.map(({ word }) => word)).toEqual([NO_ONE]);
		expect(unused).toEqual([]);
	});

	test.each([
		["a word that is no longer in the file", { file: "a.md", word: "absent", reason: "a quotation" }],
		["a file that was deleted", { file: "deleted.md", reason: "a quotation" }],
	])("reports an exception for %s", (_what, exception) => {
		expect(checkWords(base, [], [exception]).unused).toEqual([exception]);
	});
});

test("counts findings by room", () => {
	expect(roomOf("README.md")).toBe(".");
	expect(roomOf("docs/decisions/0001.md")).toBe("docs");
	const findings = ["server/policy/a/b.ts", "docs/a.md", "server/policy/c.ts"].map((file) => ({ file }));
	expect(countByRoom(findings)).toEqual({ docs: 1, "server/policy": 2 });
});
