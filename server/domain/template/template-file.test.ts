import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SpillwayError } from "../../kernel/errors.ts";
import { parseTemplateText } from "./template-file.ts";

const parse = (text: string) => parseTemplateText(text, () => []);

/** Each problem as `line path message`. */
function problems(text: string): string[] {
	try {
		parse(text);
	} catch (error) {
		if (error instanceof SpillwayError) return error.fields.map(({ line, path, message }) => `${line} ${path} ${message}`);
		throw error;
	}
	return [];
}

const head = (kind: string) => `apiVersion: spillway/v1\nkind: ${kind}\nmetadata: { name: a, team: research }\nspec:\n`;
const pipeline = (job: string) => `${head("Pipeline")}  parameters: { image: { type: text }, gpus: { type: number } }
  steps: [{ name: train, job: { command: ["true"], ${job} } }]
`;

it("lists the parameters of a pipeline and of a sweep, in the order of the file", () => {
	const example = readFileSync(new URL("../../../examples/pipelines/retrain.yaml", import.meta.url), "utf8");
	const { kind, team, name, parameters } = parse(example.replaceAll("file:.", "file:/data"));
	expect([kind, team, name]).toEqual(["Pipeline", "research", "retrain-fraud"]);
	expect(parameters.map((p) => [p.name, p.type, p.default, p.choices])).toEqual([
		["month", "text", null, null],
		["rate", "number", 1, [0.1, 1, 10]],
		["epochs", "number", 4, null],
		["verbose", "boolean", false, null],
	]);
	expect(parse(`${head("Sweep")}  grid: { rate: [1, 2] }\n  job: { command: ["true"] }\n`)).toMatchObject({
		kind: "Sweep",
		parameters: [],
	});
});

it("leaves fields that depend on a required parameter to the run, and checks the rest", () => {
	expect(problems(pipeline(`duration: { max: "\${{ parameters.image }}" }`))).toEqual([]);
	expect(problems(pipeline(`resources: { gpus: "\${{ parameters.gpus }}" }`))).toEqual([]);
	expect(problems(pipeline("resources: { gpus: many }"))).toEqual([
		expect.stringContaining("spec.steps.0.job.resources.gpus must be a number"),
	]);
	expect(problems(pipeline(`image: "\${{ parameters.imag }}"`))).toEqual([expect.stringContaining("which is not defined")]);
});

it("rejects other kinds of documents", () => {
	expect(problems("kind: Policy")).toEqual(["undefined kind must be Job, Pipeline, Sweep"]);
	expect(problems("[]")).toEqual(["undefined kind must be Job, Pipeline, Sweep"]);
	expect(problems(`${head("Job")}  command: 1`)).toEqual([expect.stringContaining("spec.command")]);
});
