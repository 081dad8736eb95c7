import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { SpillwayError } from "../../kernel/errors.ts";
import { listFields } from "../schema/list-fields.ts";
import { renderTables } from "../schema/render-table.ts";
import { parsePipelineDocument, parsePipelineText } from "./pipeline-file.ts";
import { pipelineDocumentSchema, sweepDocumentSchema, unfilledPipelineSchema, unfilledSweepSchema } from "./pipeline-schema.ts";

const options = { checkCondition: () => [] };
const head = (kind = "Pipeline") => `apiVersion: spillway/v1\nkind: ${kind}\nmetadata: { name: langs, team: research }\nspec:\n`;
const parse = (body: string, parameters: Record<string, unknown> = {}, kind = "Pipeline") =>
	parsePipelineText(head(kind) + body, { ...options, parameters });

/** Each problem as `line:column path message`. */
function problems(run: () => unknown): string[] {
	try {
		run();
	} catch (error) {
		if (error instanceof SpillwayError) return (error.fields ?? []).map((f) => `${f.line}:${f.column} ${f.path} ${f.message}`);
		throw error;
	}
	return [];
}

const THREE = `  parameters: { epochs: { type: number, default: 4 } }
  deadline: 2026-12-01T08:00:00Z
  budgetUsd: 12.5
  steps:
    - name: evaluate
      job: { command: [node, eval.mjs], data: [{ from: train.model, mount: /models }] }
    - name: prepare
      job: { command: [node, prepare.mjs], outputs: [{ name: names, path: out }] }
    - name: train
      matrix: { rate: [0.1, 0.3, 1] }
      retry: 2
      job:
        command: [node, train.mjs, --rate, "\${{ matrix.rate }}", --epochs, "\${{ parameters.epochs }}"]
        env: { RATE: "rate \${{ matrix.rate }}" }
        resources: { gpus: 2 }
        data: [{ from: prepare.names, mount: /data }]
        outputs: [{ name: model, path: model }]
`;

describe("a pipeline file", () => {
	it("becomes steps in topological order, each run with its values filled in", () => {
		const spec = parse(THREE);
		expect(spec.steps.map((s) => [s.name, s.needs, s.runs.length])).toEqual([
			["prepare", [], 1],
			["train", ["prepare"], 3],
			["evaluate", ["train"], 1],
		]);
		expect(spec).toMatchObject({ deadlineMs: Date.UTC(2026, 11, 1, 8), budgetMicroUsd: 12_500_000n, parameters: { epochs: 4 } });
		const [, train, evaluate] = spec.steps;
		expect(train?.runs.map((run) => [run.name, run.job.name, run.job.command.at(3), run.job.env["RATE"]])).toEqual([
			["train-1", "langs-train-1", "0.1", "rate 0.1"],
			["train-2", "langs-train-2", "0.3", "rate 0.3"],
			["train-3", "langs-train-3", "1", "rate 1"],
		]);
		expect(train?.runs[0]?.job).toMatchObject({ team: "research", class: "burst", resources: { gpus: 2 }, data: [] });
		expect(evaluate?.inputs).toEqual([{ step: "train", output: "model", mount: "/models" }]);
	});

	it("takes parameters from the caller, as text or typed, and rejects others with their place", () => {
		expect(parse(THREE, { epochs: "9" }).steps[1]?.runs[0]?.job.command.at(-1)).toBe("9");
		expect(problems(() => parse(THREE, { epochs: "many" }))).toEqual(["5:17 spec.parameters.epochs must be a number"]);
		expect(problems(() => parse(THREE, { epoch: 3 }))).toEqual([
			"5:15 spec.parameters.epoch is not a parameter of this file. Did you mean epochs?",
		]);
	});

	it("keeps a place that is a whole value as a number, in fields other than the command too", () => {
		const spec = parse(`  steps:
    - name: train
      foreach: [1, 4]
      job: { command: [x], resources: { gpus: "\${{ item }}" } }
`);
		expect(spec.steps[0]?.runs.map((run) => run.job.resources.gpus)).toEqual([1, 4]);
	});

	it.each([
		["an unknown step", "needs: [prepair]", /needs\.0 there is no step prepair. Did you mean prepare\?/],
		["an unknown step of data", "job: { command: [x], data: [{ from: trai.model, mount: /m }] }", /data\.0\.from there is no step trai/],
		["an unknown output", "job: { command: [x], data: [{ from: prepare.nams, mount: /m }] }", /has no output nams. Did you mean names\?/],
		["itself", "needs: [train]", /needs\.0 is the step itself/],
		["an unknown field of its job", "job: { command: [x], gpus: 2 }", /job\.gpus is not a known field/],
		["an unknown name of a place", `job: { command: ["\${{ matrix.x }}"] }`, /command\.0 uses matrix.x, which is not defined/],
		["data without an address", "job: { command: [x], data: [{ mount: /m }] }", /data\.0 must have either uri or from/],
		["foreach beside matrix", "{ foreach: [1], matrix: { a: [1] } }", /matrix cannot be given together with foreach/],
		["env values that YAML would change", "job: { command: [x], env: { V: 1.10 } }", /env\.V is read by YAML as 1\.1/],
	])("rejects %s with line and column", (_, line, message) => {
		const fields = line.startsWith("{") ? line.slice(2, -2).replace(", matrix", "\n      matrix") : line;
		const own = fields.startsWith("job") ? fields : `${fields}\n      job: { command: [x] }`;
		const found = problems(() =>
			parse(`  steps:
    - name: prepare
      job: { command: [x], outputs: [{ name: names, path: out }] }
    - name: train
      ${own}
`),
		);
		expect(found.join("\n")).toMatch(message);
		expect(found.join("\n")).toMatch(/^(8|9|10):\d+ /);
	});

	it.each([
		[
			"",
			[
				"7:38 spec.steps.0.job.outputs.0 no step reads output set. Read it in a later step (from: prepare.set), set keep or to, or remove it.",
			],
		],
		[", keep: 30d", []],
		[', to: "home:/sets"', []],
	])("rejects an output that no step reads, unless it is kept or delivered: %o", (more, expected) => {
		const file = (next: string) =>
			`  steps:\n    - name: prepare\n      job: { command: [x], outputs: [{ name: set, path: out${more} }] }\n    - { name: train, ${next} }\n`;
		expect(problems(() => parse(file("needs: [prepare], job: { command: [x], outputs: [{ name: model, path: out }] }")))).toEqual(expected);
		const reading = ["job: { command: [x], data: [{ from: prepare.set, mount: /m }] }", "job: { command: [x] }"];
		expect(problems(() => parse(file(reading[0] ?? "")))).toEqual([]);
		expect(problems(() => parse(file(`needs: [prepare], when: needs.prepare.results.set > 0, ${reading[1]}`)))).toEqual([]);
		expect(problems(() => parse(file(reading[1] ?? "")))).toEqual([]);
	});

	it("rejects a cycle and names the whole of it, and two steps of one name", () => {
		const step = (name: string, needs: string) => `    - { name: ${name}, needs: [${needs}], job: { command: [x] } }\n`;
		const cycle = `  steps:\n${step("a", "")}${step("b", "a, d")}${step("c", "b")}${step("d", "c")}${step("e", "d")}`;
		expect(problems(() => parse(cycle))).toEqual([
			"7:25 spec.steps.1.needs the steps need each other: b → d → c → b. Remove one of these needs.",
		]);
		expect(problems(() => parse(`  steps:\n${step("a", "")}${step("a", "")}`))).toEqual([
			"7:15 spec.steps.1.name a is the name of another step. Give each step its own.",
		]);
	});

	it("takes 10,000 steps of a chain, and rejects more runs than that", () => {
		const steps = Array.from({ length: 10_000 }, (_, i) => ({
			name: `s${i}`,
			needs: i === 0 ? [] : [`s${i - 1}`],
			job: { command: ["x"] },
		})).reverse();
		const file = { apiVersion: "spillway/v1", kind: "Pipeline", metadata: { name: "long", team: "t" }, spec: { steps } };
		expect(parsePipelineDocument(file, options).steps.at(-1)?.name).toBe("s9999");
		const [first = steps[0]] = steps;
		first?.needs.splice(0, 1, "s9999");
		expect(() => parsePipelineDocument(file, options)).toThrow(/step itself/);
		const many = `  steps: [{ name: a, matrix: { x: [${Array.from({ length: 200 }, (_, i) => i).join(", ")}], y: [${Array.from({ length: 60 }, (_, i) => i).join(", ")}] }, job: { command: [x] } }]\n`;
		expect(problems(() => parse(many))).toEqual(["5:10 spec.steps defines 12000 runs; the limit is 10000. Remove values from an axis."]);
	});
});

describe("a sweep file", () => {
	const sweep = (way: string) => parse(`${way}  job: { command: [x, "\${{ trial.rate }}"] }\n`, {}, "Sweep");
	const values = (way: string) => sweep(way).steps[0]?.runs.map((run) => run.values);

	it("is one step with a run for each trial: grid and list", () => {
		const spec = sweep("  parallel: 2\n  grid: { rate: [0.1, 0.3], layers: [2, 4] }\n");
		expect(spec).toMatchObject({ kind: "Sweep", parallel: 2 });
		expect(spec.steps[0]?.runs.map((run) => run.values)).toEqual([
			{ rate: 0.1, layers: 2 },
			{ rate: 0.1, layers: 4 },
			{ rate: 0.3, layers: 2 },
			{ rate: 0.3, layers: 4 },
		]);
		expect(values("  list: [{ rate: 1 }, { rate: 5 }]\n")).toEqual([{ rate: 1 }, { rate: 5 }]);
	});

	it("draws the same values from the same seed, within their range", () => {
		const way = (seed: number) =>
			`  random: { trials: 50, seed: ${seed}, draw: { rate: { min: 0.001, max: 0.1, scale: log }, k: [a, b] } }\n`;
		const drawn = values(way(1)) ?? [];
		expect(drawn).toEqual(values(way(1)));
		expect(drawn).not.toEqual(values(way(2)));
		expect(drawn).toHaveLength(50);
		for (const { rate } of drawn) expect(Number(rate) >= 0.001 && Number(rate) <= 0.1).toBe(true);
		// Half of the draws are below the geometric mean of the range.
		expect(drawn.filter(({ rate }) => Number(rate) < 0.01).length).toBeGreaterThan(15);
		expect(drawn.filter(({ rate }) => Number(rate) < 0.01).length).toBeLessThan(35);
	});

	it("rejects none or two ways with their place", () => {
		expect(problems(() => sweep("  parallel: 1\n"))).toEqual(["5:3 spec must have exactly one of grid, random and list"]);
		expect(problems(() => sweep("  grid: { rate: [1] }\n  list: [{ rate: 1 }]\n"))).toHaveLength(1);
	});
});

describe("the reference", () => {
	const PAGE = fileURLToPath(new URL("../../../docs/pipelines.md", import.meta.url));

	it("fills the tables of docs/pipelines.md (run with -u to update them)", async () => {
		const [pipelines = "", sweeps = ""] = readFileSync(PAGE, "utf8").split(/(?=<!-- sweep -->)/);
		const page = renderTables(pipelines, unfilledPipelineSchema) + renderTables(sweeps, unfilledSweepSchema);
		await expect(page).toMatchFileSnapshot(PAGE);
	});

	it("describes every field", () => {
		const fields = [...listFields(pipelineDocumentSchema), ...listFields(sweepDocumentSchema)];
		expect(fields.filter((f) => !f.description).map((f) => `${f.parent}.${f.name}`)).toEqual([]);
	});
});
