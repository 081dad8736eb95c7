import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NEW_ENTRIES } from "./new-entries.ts";

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");
const [, section = ""] = read("../../docs/policy.md").split("\n## The editor\n");
const page = section.split("\n## ")[0] ?? "";

describe("the editor in docs/policy.md", () => {
	it("describes drafts like the editor does", () => {
		const said = [...read("./draft-header.tsx").matchAll(/^\t\t\treturn ["`]([a-z ]+)/gm)].map((m) => (m[1] ?? "").trim());
		expect(said).toHaveLength(5);
		expect(said.filter((words) => !page.includes(`*${words}`))).toEqual([]);
	});

	it("names existing buttons and entries", () => {
		const sources = ["policy-screen", "draft-header", "publish-dialog", "version-dialog", "cards-panel", "yaml-draft-panel"].map((f) =>
			read(`./${f}.tsx`),
		);
		const buttons = ["Edit", "Continue draft", "Publish", "Discard", "Merge", "Roll back", "Add", "Diff"];
		for (const name of buttons) {
			expect(page).toContain(`*${name}*`);
			expect(
				sources.some((source) => source.includes(name)),
				name,
			).toBe(true);
		}
		const added = [...page.matchAll(/"([^"]+)"/g)].map((m) => m[1]).filter((words) => !words?.startsWith("Excludes"));
		expect(added.length).toBeGreaterThan(2);
		expect(added.filter((label) => !NEW_ENTRIES.some((entry) => entry.label === label))).toEqual([]);
	});
});
