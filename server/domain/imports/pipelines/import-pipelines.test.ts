import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SpillwayError } from "../../../kernel/errors.ts";
import { cases } from "../../../kernel/testing/deep.ts";
import { parsePipelineDocument } from "../../pipeline/pipeline-file.ts";
import type { ImportContext } from "../types.ts";
import { type ImportedPipelines, importPipelines } from "./import-pipelines.ts";

const CONTEXT: ImportContext = {
	team: "research",
	teams: ["research", "risk"],
	acceleratorsNamed: (word) => ({ t4: ["T4-16GB"], h100: ["H100-80GB"] })[word.toLowerCase()] ?? [],
	zoneOffsetMinutes: 0,
	email: null,
	nowMs: 0,
};
const read = (text: string): ImportedPipelines => importPipelines(text, CONTEXT);
const said = ({ findings }: ImportedPipelines) => findings.map(({ line, kind, subject }) => `${line} ${kind} ${subject}`);
const questions = (imported: ImportedPipelines) => said(imported).filter((text) => text.includes(" question "));
const specOf = (imported: ImportedPipelines) => parsePipelineDocument(imported.documents[0], { checkCondition: () => [] });

const ARGO = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { generateName: fraud-, namespace: risk }
spec:
  entrypoint: main
  arguments:
    parameters: [{ name: learning-rate, value: "0.1" }]
  templates:
    - name: main
      dag:
        tasks:
          - { name: prepare, template: prepare }
          - name: train
            template: train
            dependencies: [prepare]
            arguments:
              parameters: [{ name: rate, value: "{{workflow.parameters.learning-rate}}" }]
              artifacts: [{ name: set, from: "{{tasks.prepare.outputs.artifacts.set}}" }]
          - { name: check, template: check, depends: "train.Succeeded && prepare", withItems: [eu, us] }
    - name: prepare
      script:
        image: python:3.12
        command: [python]
        source: |
          print("set")
      outputs: { artifacts: [{ name: set, path: out/set }] }
    - name: train
      retryStrategy: { limit: "2" }
      activeDeadlineSeconds: 3600
      nodeSelector: { nvidia.com/gpu.product: h100 }
      inputs:
        parameters: [{ name: rate }]
        artifacts: [{ name: set, path: data/set }]
      outputs: { artifacts: [{ name: model, path: out/model }] }
      container:
        image: acme/train
        command: [python, train.py, --rate, "{{inputs.parameters.rate}}", --set, "{{inputs.artifacts.set.path}}"]
        resources: { limits: { nvidia.com/gpu: 8 } }
    - name: check
      container: { image: acme/check, command: [check, "{{item}}"] }
`;

describe("an Argo workflow", () => {
	const imported = read(ARGO);
	it("becomes a pipeline that the pipeline file accepts", () => {
		expect(questions(imported)).toEqual([]);
		expect(imported.documents[0]?.metadata).toEqual({ name: "fraud", team: "risk" });
		const { steps, parameters } = specOf(imported);
		expect(parameters).toEqual({ learning_rate: "0.1" });
		expect(steps.map(({ name, needs, retry }) => ({ name, needs, retry }))).toEqual([
			{ name: "prepare", needs: [], retry: 0 },
			{ name: "train", needs: ["prepare"], retry: 2 },
			{ name: "check", needs: ["train", "prepare"], retry: 0 },
		]);
		const [prepare, train, check] = steps.map(({ runs }) => runs.map(({ job }) => job));
		expect(prepare?.[0]?.command).toEqual(["sh", "-c", expect.stringContaining("spillway-script"), 'print("set")\n', "python"]);
		expect(train?.[0]).toMatchObject({
			...{ image: "acme/train", command: ["python", "train.py", "--rate", "0.1", "--set", "data/set"], duration: { maxMs: 3_600_000 } },
			resources: { gpus: 8, accelerators: ["H100-80GB"] },
			outputs: [{ name: "model", path: "out/model", keepMs: 30 * 86_400_000 }],
		});
		expect(said(imported)).toContain("2 changed Output model of train");
		expect(steps[1]?.inputs).toEqual([{ step: "prepare", output: "set", mount: "data/set" }]);
		expect(check?.map(({ command }) => command)).toEqual([
			["check", "eu"],
			["check", "us"],
		]);
	});

	it("reports every dropped line with its number", () => {
		const lossy = read(
			ARGO.replace(
				"  entrypoint: main",
				"  entrypoint: main\n  onExit: clean\n  serviceAccountName: argo\n  ttlStrategy: { secondsAfterCompletion: 1 }",
			)
				.replace("depends: ", 'when: "{{x}} == 1", depends: ')
				.replace('"{{item}}"', '"{{item}} {{pod.name}}"'),
		);
		expect(questions(lossy)).toEqual([
			"6 question An exit handler",
			"7 question spec.serviceAccountName",
			"22 question When {{x}} == 1",
			"42 question {{pod.name}}",
		]);
		expect(said(lossy)).toContain("8 dropped ttlStrategy");
	});

	it("with groups of steps runs them group by group and asks about a nested template", () => {
		const grouped = read(`kind: WorkflowTemplate
metadata: { name: groups }
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - [{ name: a, template: run }, { name: b, template: run }]
        - [{ name: c, template: main }]
    - { name: run, container: { image: x, command: [run] } }
`);
		expect(specOf(grouped).steps.map(({ name, needs }) => [name, needs])).toEqual([
			["a", []],
			["b", []],
			["c", ["a", "b"]],
		]);
		expect(questions(grouped)).toEqual(["8 question Template type steps"]);
	});

	it("with a schedule reports the trigger", () => {
		const cron = read(
			"kind: CronWorkflow\nmetadata: { name: nightly }\nspec:\n  schedule: 0 2 * * *\n  workflowSpec:\n    entrypoint: a\n    templates: [{ name: a, container: { image: x, command: [a] } }]\n",
		);
		expect(questions(cron)).toEqual(["4 question schedule 0 2 * * *"]);
		expect(specOf(cron).steps).toHaveLength(1);
	});
});

const KUBEFLOW = `# PIPELINE DEFINITION
components:
  comp-prepare:
    executorLabel: exec-prepare
    outputDefinitions: { artifacts: { set: { artifactType: { schemaTitle: system.Dataset, schemaVersion: 0.0.1 } } } }
  comp-train:
    executorLabel: exec-train
    inputDefinitions:
      artifacts: { set: { artifactType: { schemaTitle: system.Dataset, schemaVersion: 0.0.1 } } }
      parameters: { epochs: { parameterType: NUMBER_INTEGER }, tag: { parameterType: STRING } }
    outputDefinitions: { artifacts: { model: { artifactType: { schemaTitle: system.Model, schemaVersion: 0.0.1 } } } }
deploymentSpec:
  executors:
    exec-prepare:
      container: { image: "python:3.12", command: [python, prepare.py], args: [--out, "{{$.outputs.artifacts['set'].path}}"] }
    exec-train:
      container:
        image: acme/train
        command: [sh, -ec, 'exec "$@"', --]
        args: [python, -m, kfp.dsl.executor_main, --executor_input, "{{$}}", --function_to_execute, train]
        resources: { cpuLimit: 4.0, memoryLimit: 16.0, accelerator: { count: "2", type: NVIDIA_TESLA_T4 } }
pipelineInfo: { name: fraud-training }
root:
  dag:
    tasks:
      prepare: { componentRef: { name: comp-prepare }, cachingOptions: { enableCache: true }, taskInfo: { name: prepare } }
      train:
        componentRef: { name: comp-train }
        dependentTasks: [prepare]
        inputs:
          artifacts: { set: { taskOutputArtifact: { producerTask: prepare, outputArtifactKey: set } } }
          parameters: { epochs: { componentInputParameter: epochs }, tag: { runtimeValue: { constant: v1 } } }
        taskInfo: { name: train }
  inputDefinitions: { parameters: { epochs: { parameterType: NUMBER_INTEGER, defaultValue: 3.0 } } }
schemaVersion: 2.1.0
sdkVersion: kfp-2.7.0
`;

describe("a compiled pipeline of Kubeflow", () => {
	const imported = read(KUBEFLOW);
	it("becomes a pipeline with the SDK executor's input written out", () => {
		expect(questions(imported)).toEqual([]);
		const { name, parameters, steps } = specOf(imported);
		expect([imported.kind, name, parameters]).toEqual(["kubeflow", "fraud-training", { epochs: 3 }]);
		const [prepare, train] = steps.map(({ runs }) => runs[0]?.job);
		expect(prepare?.command).toEqual(["python", "prepare.py", "--out", "outputs/set"]);
		expect(train?.resources).toMatchObject({ gpus: 2, accelerators: ["T4-16GB"], cpus: 4, memoryGiB: 14.901 });
		expect(steps[1]).toMatchObject({ needs: ["prepare"], inputs: [{ step: "prepare", output: "set", mount: "inputs/set" }] });
		expect(JSON.parse(train?.command[8] ?? "")).toMatchObject({
			inputs: { parameterValues: { epochs: 3, tag: "v1" }, artifacts: { set: { artifacts: [{ uri: "inputs/set" }] } } },
			outputs: { artifacts: { model: { artifacts: [{ uri: "outputs/model" }] } }, outputFile: "outputs/executor_output.json" },
		});
	});

	it("reports conditions, loops, passed values and cluster resources", () => {
		const lossy = read(
			KUBEFLOW.replace("constant: v1", "x: 1")
				.replace("runtimeValue: { x: 1 }", "taskOutputParameter: { producerTask: prepare, outputParameterKey: tag }")
				.replace(
					"        dependentTasks:",
					"        triggerPolicy: { condition: \"inputs.x == 'a'\" }\n        parameterIterator: { itemInput: x }\n        dependentTasks:",
				)
				.concat("---\nplatforms: { kubernetes: { deploymentSpec: { executors: {} } } }\n"),
		);
		expect(questions(lossy)).toEqual([
			"29 question When inputs.x == 'a'",
			"30 question A loop",
			"34 question Parameter tag from prepare",
			"40 question Cluster settings",
		]);
	});
});

describe("bad input", () => {
	it("is reported with its line", () => {
		expect(() => read("kind: Workflow\nmetadata: {\n")).toThrow("cannot be read at line 3");
		expect(() => read("kind: Pod\n")).toThrow("no workflow");
		expect(() => read("x".repeat(300_000))).toThrow("at most");
	});

	it("of any form gives findings or a message, and every added field is reported", () => {
		const texts = fc.constantFrom(ARGO, KUBEFLOW);
		const damage = fc.record({
			at: fc.nat(),
			remove: fc.integer({ min: 0, max: 40 }),
			insert: fc.constantFrom("", "[", "}", "- ", "null", "\n  x: {{y}}\n", ": ", "0x1e999"),
		});
		fc.assert(
			fc.property(texts, fc.array(damage, { minLength: 1, maxLength: 4 }), (text, damages) => {
				const broken = damages.reduce<string>((whole, { at, remove, insert }) => {
					const start = at % whole.length;
					return whole.slice(0, start) + insert + whole.slice(start + remove);
				}, text);
				try {
					const { findings } = read(broken);
					for (const { line } of findings) expect(line).toBeGreaterThanOrEqual(1);
				} catch (error) {
					expect(error).toBeInstanceOf(SpillwayError);
				}
			}),
			{ numRuns: cases(60, 2_000) },
		);
		for (const text of [ARGO, KUBEFLOW]) {
			const lines = text.split("\n");
			const at = lines.findIndex((line) => /^(spec|root):/.test(line)) + 1;
			expect(said(read([...lines.slice(0, at), "  oddThing: 1", ...lines.slice(at)].join("\n")))).toContainEqual(
				expect.stringMatching(`^${at + 1} question .*oddThing`),
			);
		}
	});

	it("does not expand steps that call themselves or double at each level", () => {
		const workflow = (templates: string[]) => `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: { name: w }
spec: { entrypoint: t0, templates: [${templates.join(", ")}] }
`;
		const both = (to: number) => `{ tasks: [{ name: a, template: t${to} }, { name: b, template: t${to} }] }`;
		const doubling = Array.from({ length: 22 }, (_, i) => `{ name: t${i}, dag: ${both(i + 1)} }`);
		for (const templates of [[`{ name: t0, dag: ${both(0)} }`], [...doubling, "{ name: t22, container: { image: x, command: [x] } }"]])
			expect(read(workflow(templates)).findings.length).toBeLessThan(100);
	});
});
