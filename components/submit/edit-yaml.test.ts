import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { editYaml, lineOf, type YamlPath, type YamlValue } from "./edit-yaml.ts";

const FILE = `# The nightly run
apiVersion: spillway/v1
kind: Job
metadata: { name: fraud-v7, team: risk } # ask Ada
spec:
  class: burst     # never sensitive
  command: ["python",   "train.py"]
  resources: { gpus: 8,  cpus: 96 }
  # measured over six runs
  duration: { estimate: 6h }
`;
const changed = (path: YamlPath, value: YamlValue | undefined) => editYaml(FILE, path, value) ?? "unreadable";
/** The changed lines. */
const diff = (after: string) => after.split("\n").filter((line, i) => line !== FILE.split("\n")[i]);

describe("editYaml", () => {
	it.each<[YamlPath, YamlValue, string]>([
		[["metadata", "name"], "fraud-v8", "metadata: { name: fraud-v8, team: risk } # ask Ada"],
		[["spec", "class"], "experimental", "  class: experimental     # never sensitive"],
		[["spec", "resources", "gpus"], 4, "  resources: { gpus: 4,  cpus: 96 }"],
		[["spec", "duration", "estimate"], "90m", "  duration: { estimate: 90m }"],
	])("changes %j only", (path, value, line) => expect(diff(changed(path, value))).toEqual([line]));

	it("quotes ambiguous strings", () => {
		expect(changed(["metadata", "name"], "007")).toContain('name: "007"');
		expect(changed(["metadata", "name"], "a, b")).toContain('name: "a, b"');
		expect(changed(["spec", "class"], "yes: no # x")).toContain('class: "yes: no # x"');
		expect(changed(["metadata", "name"], "")).toContain('name: ""');
	});

	it("adds a field and missing maps, and keeps every comment", () => {
		const after = changed(["spec", "checkpoint", "path"], "checkpoints");
		expect(after).toContain("  checkpoint: { path: checkpoints }\n");
		for (const comment of ["# The nightly run", "# ask Ada", "# never sensitive", "# measured over six runs"])
			expect(after).toContain(comment);
		expect(parse(after)).toEqual({ ...parse(FILE), spec: { ...parse(FILE).spec, checkpoint: { path: "checkpoints" } } });
	});

	it("removes a field and an emptied map", () => {
		expect(parse(changed(["spec", "duration", "estimate"], undefined)).spec).not.toHaveProperty("duration");
		expect(parse(changed(["spec", "resources", "cpus"], undefined)).spec.resources).toEqual({ gpus: 8 });
		expect(changed(["spec", "image"], undefined)).toBe(FILE);
	});

	it("replaces lists, on one line if short", () => {
		expect(changed(["spec", "command"], ["node", "x.mjs"])).toContain("command: [ node, x.mjs ]\n");
		const long = ["node", "-e", "first();\nsecond();"];
		expect(parse(changed(["spec", "command"], long)).spec.command).toEqual(long);
	});

	it("replaces multi-line and empty values", () => {
		const block = "spec:\n  image: |\n    two\n    lines\n  nodes:\n";
		expect(parse(editYaml(block, ["spec", "image"], "one") ?? "")).toEqual({ spec: { image: "one", nodes: null } });
		expect(parse(editYaml(block, ["spec", "nodes"], 2) ?? "").spec.nodes).toBe(2);
	});

	it("starts an empty document", () => {
		expect(parse(editYaml("", ["metadata", "name"], "a") ?? "")).toEqual({ metadata: { name: "a" } });
	});

	it("returns null for invalid YAML", () => {
		expect(editYaml("a: [1", ["a"], 2)).toBeNull();
	});
});

describe("lineOf", () => {
	it("finds the value of a field", () => {
		expect(lineOf(FILE, ["spec", "duration", "estimate"])).toBe(10);
		expect(lineOf(FILE, ["spec", "image"])).toBeNull();
	});
});
