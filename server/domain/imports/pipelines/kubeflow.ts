import { readMetadata } from "../kubernetes/import-kubernetes.ts";
import type { Manifest } from "../kubernetes/manifest.ts";
import { NO_COMMAND, type Path, readContainer } from "../kubernetes/pod.ts";
import { quantity } from "../kubernetes/quantity.ts";
import { plainName } from "../plain-name.ts";
import type { ImportContext } from "../types.ts";
import {
	type DraftStep,
	fillPlaceholders,
	jobOf,
	keepUnread,
	type Parameter,
	type PipelineDocument,
	parameterName,
	pipelineOf,
	reportMissingGpus,
} from "./steps.ts";

const NOT_HERE = "Not supported in a step. Write a job that does it.";
const ROOT: Path = ["root", "dag"];
const GIB = 2 ** 30;
const TYPES: Readonly<Record<string, Parameter["type"]>> = {
	...{ NUMBER_INTEGER: "number", NUMBER_DOUBLE: "number", INT: "number", DOUBLE: "number", BOOLEAN: "boolean" },
};

export const isKubeflow = (m: Manifest): boolean => m.has(["deploymentSpec"]) && m.has(["root"]);

/** Converts a compiled Kubeflow pipeline (IR of SDK 2) to a pipeline. Everything that is not carried over becomes a finding. */
export function readKubeflow(m: Manifest, context: ImportContext): PipelineDocument {
	const written = m.text(["pipelineInfo", "name"]) ?? "pipeline";
	m.say(["pipelineInfo"], "carried", `Pipeline ${written}`);
	for (const key of ["schemaVersion", "sdkVersion", "defaultPipelineRoot"]) m.ignore([key]);
	const metadata = { ...readMetadata(m, context), name: plainName(written) };
	const parameters = readParameters(m);
	m.say(
		["root", "inputDefinitions", "artifacts"],
		"question",
		"Pipeline input artifacts",
		"Declare them as data of the steps, with their addresses.",
	);
	m.say(["root", "outputDefinitions"], "dropped", "Pipeline outputs", "Outputs stay with their steps.");
	m.say([...ROOT, "outputs"], "dropped", "Pipeline outputs", "Outputs stay with their steps.");
	const steps = m.keys([...ROOT, "tasks"]).map((task) => readTask(m, task, context));
	return pipelineOf(metadata, parameters, keepUnread(m, ["pipelineInfo"], steps));
}

function readParameters(m: Manifest): Parameter[] {
	const at: Path = ["root", "inputDefinitions", "parameters"];
	return m.keys(at).map((written) => {
		const kind = m.text([...at, written, "parameterType"]) ?? m.text([...at, written, "type"]) ?? "STRING";
		const type = TYPES[kind] ?? "text";
		const text = m.text([...at, written, "defaultValue"]);
		const name = parameterName(written);
		const value = text === null ? undefined : type === "number" ? Number(text) : type === "boolean" ? text === "true" : text;
		m.say(
			[...at, written],
			name === written ? "carried" : "changed",
			`Parameter ${written}`,
			name === written ? "" : `Renamed to ${name}.`,
		);
		if (/^(LIST|STRUCT)$/.test(kind)) m.say([...at, written], "changed", `Type ${kind}`, "The value is JSON text.");
		return { name, type, ...(value !== undefined && { default: value }) };
	});
}

function readTask(m: Manifest, task: string, context: ImportContext): DraftStep {
	const at: Path = [...ROOT, "tasks", task];
	const name = plainName(task);
	m.say([...at, "taskInfo"], "carried", `Step ${task}`);
	m.say([...at, "cachingOptions"], "dropped", "Caching", "A retried pipeline reuses the results of unchanged steps.");
	m.say(
		[...at, "triggerPolicy"],
		"question",
		`When ${m.text([...at, "triggerPolicy", "condition"]) ?? ""}`,
		"Write it as the step's when.",
	);
	for (const key of ["parameterIterator", "artifactIterator", "iteratorPolicy"])
		m.say([...at, key], "question", "A loop", "List its values in the step's foreach.");
	const retries = m.number([...at, "retryPolicy", "maxRetryCount"]);
	m.say(
		[...at, "retryPolicy"],
		"changed",
		`Retries ${retries ?? ""}`,
		"A failed job is resubmitted that many times; an interrupted one always restarts.",
	);
	const dependent = m.texts([...at, "dependentTasks"]);
	if (dependent.length > 0) m.say([...at, "dependentTasks"], "carried", `After ${dependent.join(", ")}`);
	const component = m.text([...at, "componentRef", "name"]) ?? "";
	const job = readComponent(m, at, component, context);
	return { name, needs: dependent.map(plainName), ...(retries !== null && { retry: Math.min(retries, 10) }), job };
}

function readComponent(m: Manifest, task: Path, component: string, context: ImportContext): Record<string, unknown> {
	const at: Path = ["components", component];
	const label = m.text([...at, "executorLabel"]);
	if (label === null) {
		m.say([...at, "dag"], "question", `Nested pipeline ${component}`, "Move its steps into this pipeline.");
		m.say([...task, "inputs"], "question", "Inputs of a nested pipeline", NOT_HERE);
		return { command: NO_COMMAND };
	}
	const executor: Path = ["deploymentSpec", "executors", label];
	for (const kind of ["importer", "resolver", "customJob"]) m.say([...executor, kind], "question", `Executor type ${kind}`, NOT_HERE);
	const io = readInputsAndOutputs(m, task, at);
	const pod = readContainer(m, [...executor, "container"], context);
	const needs = readNeeds(m, [...executor, "container", "resources"], context);
	const merged = { ...pod, ...needs };
	const filled = fillPlaceholders(m, [...executor, "container"], merged, new Map([...io.places, ["$", io.executorInput()]]));
	m.ignore([...at, "inputDefinitions"]);
	m.ignore([...at, "outputDefinitions"]);
	reportMissingGpus(m, [...executor, "container"], merged);
	return jobOf({ ...merged, ...filled }, { data: io.data, outputs: io.outputs, maxMs: null });
}

interface InputsAndOutputs {
	places: Map<string, string>;
	data: { from: string; mount: string }[];
	outputs: { name: string; path: string }[];
	/** The JSON read by the SDK's Python components. */
	executorInput(): string;
}

function readInputsAndOutputs(m: Manifest, task: Path, component: Path): InputsAndOutputs {
	const places = new Map<string, string>();
	const values = readValues(m, task, component, places);
	const { data, artifacts } = readArtifacts(m, task, places);
	const names = m.keys([...component, "outputDefinitions", "artifacts"]);
	const outputs = names.map((name) => ({ name: plainName(name), path: `outputs/${plainName(name)}` }));
	for (const [i, { path }] of outputs.entries()) {
		places.set(`$.outputs.artifacts['${names[i]}'].path`, path);
		places.set(`$.outputs.artifacts['${names[i]}'].uri`, path);
	}
	const results = m.keys([...component, "outputDefinitions", "parameters"]);
	for (const name of results) places.set(`$.outputs.parameters['${name}'].output_file`, `outputs/parameters/${plainName(name)}`);
	if (results.length > 0)
		m.say([...component, "outputDefinitions", "parameters"], "changed", "Output parameters", "Written to files that no other step reads.");
	const made = names.map((name, i) => [name, artifactJson(name, outputs[i]?.path ?? "")] as const);
	const written = results.map((name) => [name, { outputFile: `outputs/parameters/${plainName(name)}` }] as const);
	return {
		...{ places, data, outputs },
		executorInput: () => {
			const input = JSON.stringify({ artifacts: Object.fromEntries(artifacts) });
			const output = {
				artifacts: Object.fromEntries(made),
				parameters: Object.fromEntries(written),
				outputFile: "outputs/executor_output.json",
			};
			const parameters = `{${values.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
			return `{"inputs":{"parameterValues":${parameters},${input.slice(1, -1)}},"outputs":${JSON.stringify(output)}}`;
		},
	};
}

const artifactJson = (name: string, uri: string) => ({
	artifacts: [{ name, type: { schemaTitle: "system.Artifact", schemaVersion: "0.0.1" }, uri, metadata: {} }],
});

function readValues(m: Manifest, task: Path, component: Path, places: Map<string, string>): { name: string; json: string }[] {
	const at: Path = [...task, "inputs", "parameters"];
	const given = m.keys(at).map((name) => {
		const constant = m.text([...at, name, "runtimeValue", "constant"]);
		const parameter = m.text([...at, name, "componentInputParameter"]);
		const producer = m.text([...at, name, "taskOutputParameter", "producerTask"]);
		const isText = !(m.text([...component, "inputDefinitions", "parameters", name, "parameterType"]) ?? "STRING").match(
			/NUMBER|BOOLEAN|LIST|STRUCT/,
		);
		const value = constant ?? (parameter === null ? "" : `\${{ parameters.${parameterName(parameter)} }}`);
		if (constant !== null || parameter !== null) m.say([...at, name], "carried", `Parameter ${name}`);
		else if (producer !== null)
			m.say(
				[...at, name],
				"question",
				`Parameter ${name} from ${producer}`,
				"Values that a step computes cannot be passed to other steps. Write them to an output.",
			);
		else m.say([...at, name], "question", `Parameter ${name}`, NOT_HERE);
		places.set(`$.inputs.parameters['${name}']`, value);
		return { name, json: isText ? JSON.stringify(value) : value || "null" };
	});
	const defaults = m.keys([...component, "inputDefinitions", "parameters"]).flatMap((name) => {
		const text = m.text([...component, "inputDefinitions", "parameters", name, "defaultValue"]);
		const key = `$.inputs.parameters['${name}']`;
		if (text === null || places.has(key)) return [];
		places.set(key, text);
		return [{ name, json: /^(-?\d+(\.\d+)?|true|false)$/.test(text) ? text : JSON.stringify(text) }];
	});
	return [...given, ...defaults];
}

function readArtifacts(m: Manifest, task: Path, places: Map<string, string>) {
	const at: Path = [...task, "inputs", "artifacts"];
	const data: InputsAndOutputs["data"] = [];
	const artifacts: (readonly [string, ReturnType<typeof artifactJson>])[] = [];
	for (const name of m.keys(at)) {
		const step = m.text([...at, name, "taskOutputArtifact", "producerTask"]);
		const output = m.text([...at, name, "taskOutputArtifact", "outputArtifactKey"]);
		if (step === null || output === null) {
			m.say([...at, name], "question", `Artifact ${name}`, "Declare it as data of the job, with its address.");
			continue;
		}
		const mount = `inputs/${plainName(name)}`;
		m.say([...at, name], "carried", `Artifact ${name} from ${step}`);
		data.push({ from: `${plainName(step)}.${plainName(output)}`, mount });
		artifacts.push([name, artifactJson(name, mount)]);
		places.set(`$.inputs.artifacts['${name}'].path`, mount);
		places.set(`$.inputs.artifacts['${name}'].uri`, mount);
	}
	return { data, artifacts };
}

/** CPUs, memory and accelerators, in the old and new form of the SDK. */
function readNeeds(m: Manifest, at: Path, context: ImportContext) {
	const numberOf = (...keys: string[]): number | null => {
		const found = keys.map((key) => m.text([...at, key])).find((text) => text !== null);
		return found === undefined || found === null ? null : quantity(found);
	};
	const cpus = numberOf("resourceCpuRequest", "cpuRequest", "resourceCpuLimit", "cpuLimit");
	const bytes = numberOf("resourceMemoryRequest", "resourceMemoryLimit");
	const gigabytes = numberOf("memoryRequest", "memoryLimit");
	const memoryGiB = bytes !== null ? bytes / GIB : gigabytes === null ? null : (gigabytes * 1e9) / GIB;
	const accelerator = [...at, "accelerator"];
	const count = m.text([...accelerator, "resourceCount"]) ?? m.text([...accelerator, "count"]);
	const type = m.text([...accelerator, "resourceType"]) ?? m.text([...accelerator, "type"]) ?? "";
	const accelerators = [type, ...type.split(/[-_ /.]/)].flatMap((word) => [...context.acceleratorsNamed(word)]);
	if (accelerators.length === 0 && type !== "" && !/^[a-z]+\.com\/gpu$/.test(type))
		m.say([...accelerator], "question", `Accelerator ${type}`, "Unknown accelerator. Set the job's accelerators.");
	else m.say([...accelerator], "carried", `${count ?? 1} × ${type}`);
	m.say(at, "carried", "Resources");
	return {
		gpus: count !== null && /^\d{1,3}$/.test(count) ? Number(count) : null,
		accelerators: [...new Set(accelerators)],
		cpus: cpus === null ? null : Math.max(1, Math.ceil(cpus)),
		memoryGiB: memoryGiB === null ? null : Math.round(memoryGiB * 1000) / 1000,
	};
}
