import { SECOND_MS } from "../../../kernel/units.ts";
import { readMetadata } from "../kubernetes/import-kubernetes.ts";
import type { Manifest } from "../kubernetes/manifest.ts";
import { NO_COMMAND, type Path, type PodFacts, readContainer, readSelector } from "../kubernetes/pod.ts";
import { plainName } from "../plain-name.ts";
import type { ImportContext } from "../types.ts";
import {
	type DraftStep,
	fillPlaceholders,
	fillPlaces,
	jobOf,
	keepUnread,
	type Parameter,
	type PipelineDocument,
	parameterName,
	pipelineOf,
	reportMissingGpus,
} from "./steps.ts";

export const ARGO_KINDS = ["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"];

const CONTROLLERS = "Configures the cluster's own controllers.";
const NOT_HERE = "Not supported in a step. Write a job that does it.";
/** Workflow and template keys that have no equivalent here. */
const DROPPED = [
	...["ttlStrategy", "podGC", "podMetadata", "securityContext", "archiveLogs", "artifactRepositoryRef", "artifactGC", "metrics", "hooks"],
	...["priority", "podPriority", "podPriorityClassName", "affinity", "tolerations", "schedulerName", "imagePullPolicy", "executor"],
	...[
		"dnsPolicy",
		"dnsConfig",
		"hostNetwork",
		"hostAliases",
		"podSpecPatch",
		"volumeClaimGC",
		"workflowMetadata",
		"memoize",
		"timeout",
		"metadata",
	],
];
const ARTIFACT_OF_STEP = /^\{\{(?:tasks|steps)\.([\w.-]+)\.outputs\.artifacts\.([\w.-]+)\}\}$/;
const RETRY_MAX = 10;

interface Reader {
	m: Manifest;
	context: ImportContext;
	/** Position of each template. */
	templates: ReadonlyMap<string, Path>;
	/** Placeholders that are valid everywhere. */
	places: ReadonlyMap<string, string>;
}

/** Converts an Argo Workflow to a pipeline. Everything that is not carried over becomes a finding. */
export function readArgo(m: Manifest, context: ImportContext): PipelineDocument {
	const kind = m.text(["kind"]) ?? "";
	m.say(["kind"], "carried", kind);
	m.ignore(["apiVersion"]);
	m.ignore(["status"]);
	const spec = kind === "CronWorkflow" ? ["spec", "workflowSpec"] : ["spec"];
	for (const key of ["schedule", "schedules", "timezone"])
		m.say(
			["spec", key],
			"question",
			`${key} ${m.text(["spec", key]) ?? ""}`,
			"Use a trigger to start a pipeline on a schedule: docs/triggers.md.",
		);
	const metadata = readMetadata(m, context);
	const parameters = readParameters(m, [...spec, "arguments", "parameters"]);
	reportWorkflowSettings(m, spec);
	const places = new Map<string, string>(
		parameters.flatMap(({ written, name }) => [[`workflow.parameters.${written}`, `\${{ parameters.${name} }}`] as const]),
	);
	places.set("workflow.name", metadata.name);
	const count = m.length([...spec, "templates"]);
	const templates = new Map(
		Array.from({ length: count }, (_, i) => [m.text([...spec, "templates", i, "name"]) ?? "", [...spec, "templates", i]] as const),
	);
	const reader = { m, context, templates, places };
	const steps = readEntry(reader, m.text([...spec, "entrypoint"]), spec);
	const parallel = m.number([...spec, "parallelism"]);
	if (parallel !== null) m.say([...spec, "parallelism"], "carried", `${parallel} at a time`);
	return pipelineOf(
		metadata,
		parameters.map(({ written: _, ...parameter }) => parameter),
		keepUnread(m, ["kind"], steps),
		parallel,
	);
}

function dropSettings(m: Manifest, path: Path): void {
	for (const key of DROPPED) m.say([...path, key], "dropped", key, CONTROLLERS);
}

function reportWorkflowSettings(m: Manifest, path: Path): void {
	dropSettings(m, path);
	m.say(
		[...path, "activeDeadlineSeconds"],
		"question",
		"Workflow time limit",
		"Set a deadline for the pipeline, or a maximum duration for its jobs.",
	);
	m.say([...path, "onExit"], "question", "An exit handler", "Add a step with a condition on the last steps.");
}

function readParameters(m: Manifest, path: Path): (Parameter & { written: string })[] {
	return Array.from({ length: m.length(path) }, (_, i) => {
		const written = m.text([...path, i, "name"]) ?? "";
		const value = m.text([...path, i, "value"]) ?? m.text([...path, i, "default"]);
		const name = parameterName(written);
		m.say([...path, i], name === written ? "carried" : "changed", `Parameter ${written}`, name === written ? "" : `Renamed to ${name}.`);
		return { written, name, type: "text" as const, ...(value !== null && { default: value }) };
	});
}

/** Steps of the entrypoint template. */
function readEntry(reader: Reader, entry: string | null, spec: Path): DraftStep[] {
	const { m, templates } = reader;
	const path = templates.get(entry ?? "");
	if (!path) {
		m.say([...spec, "entrypoint"], "question", `Entry point ${entry ?? ""}`, "The file has no template of this name.");
		return [];
	}
	m.say([...spec, "entrypoint"], "carried", `Begins at ${entry}`);
	if (m.has([...path, "dag"])) return readTasks(reader, [...path, "dag", "tasks"], path);
	if (m.has([...path, "steps"])) return readGroups(reader, path);
	return [{ name: plainName(entry ?? "main"), needs: [], ...readLeaf(reader, path, new Map(), []) }];
}

function readTasks(reader: Reader, tasks: Path, template: Path): DraftStep[] {
	const { m } = reader;
	m.ignore([...template, "name"]);
	m.say([...template, "dag", "failFast"], "dropped", "Fail fast", "Steps that need a failed step are skipped; the others continue.");
	return Array.from({ length: m.length(tasks) }, (_, i) => readTask(reader, [...tasks, i], needsOf(m, [...tasks, i])));
}

/** Each group waits for the previous one. */
function readGroups(reader: Reader, template: Path): DraftStep[] {
	const { m } = reader;
	m.ignore([...template, "name"]);
	const steps: DraftStep[] = [];
	let before: string[] = [];
	for (let group = 0; group < m.length([...template, "steps"]); group++) {
		const path = [...template, "steps", group];
		const made = Array.from({ length: m.length(path) }, (_, i) => readTask(reader, [...path, i], before));
		before = made.map(({ name }) => name);
		steps.push(...made);
	}
	return steps;
}

function needsOf(m: Manifest, path: Path): string[] {
	const listed = m.texts([...path, "dependencies"]);
	if (listed.length > 0) m.say([...path, "dependencies"], "carried", `After ${listed.join(", ")}`);
	const depends = m.text([...path, "depends"]);
	if (depends === null) return listed.map(plainName);
	const parts = depends.split("&&").map((part) => part.trim());
	const isPlain = parts.every((part) => /^[\w-]+(\.Succeeded)?$/.test(part));
	const note = isPlain ? "" : "A step starts when all steps it needs have succeeded. Write any other condition as the step's when.";
	m.say([...path, "depends"], isPlain ? "carried" : "question", `After ${depends}`, note);
	const names = depends.match(/[A-Za-z0-9][\w-]*(?=\.|\b)/g) ?? [];
	const states = /^(Succeeded|Failed|Skipped|Errored|Omitted|Daemoned|AnySucceeded|AllFailed)$/;
	return [...new Set(names.filter((name) => !states.test(name)).map(plainName))];
}

function readTask(reader: Reader, path: Path, needs: string[]): DraftStep {
	const { m } = reader;
	const written = m.text([...path, "name"]) ?? "step";
	const template = m.text([...path, "template"]);
	m.say([...path, "name"], "carried", `Step ${written}`);
	m.say([...path, "when"], "question", `When ${m.text([...path, "when"]) ?? ""}`, "Write it as the step's when: docs/pipelines.md.");
	for (const key of ["withParam", "withSequence"])
		m.say([...path, key], "question", key, "List the values in the step's foreach; they must be known before the pipeline starts.");
	m.say([...path, "continueOn"], "question", "Continue on failure", "Write it as the when of the steps that follow.");
	m.say([...path, "onExit"], "question", "An exit handler", "Add a step with a condition on this one.");
	const foreach = readItems(m, path);
	const place = template === null ? undefined : reader.templates.get(template);
	if (!place) {
		for (const key of ["template", "templateRef", "inline"]) m.say([...path, key], "question", `Template ${template ?? key}`, NOT_HERE);
		return { name: plainName(written), needs, job: { command: NO_COMMAND } };
	}
	const outer = new Map(reader.places);
	if (foreach !== null) outer.set("item", `\${{ item }}`);
	const { places, data } = readArguments(m, path, outer);
	const leaf = readLeaf(reader, place, places, data);
	return { name: plainName(written), needs, ...(foreach !== null && { foreach }), ...leaf };
}

function readItems(m: Manifest, path: Path): string[] | null {
	const at = [...path, "withItems"];
	if (!m.has(at)) return null;
	const items = m.texts(at);
	const isPlain = items.length > 0 && items.every((item) => item !== "" && item.length <= 256);
	const values = [...new Set(items)];
	m.say(
		at,
		isPlain ? "carried" : "question",
		`${items.length} items`,
		isPlain ? "" : "Each must be a number, true, false or a short string.",
	);
	return isPlain ? values : null;
}

interface Given {
	/** Placeholders of the template. */
	places: Map<string, string>;
	/** Outputs of other steps, by artifact of the template. */
	data: { artifact: string; from: string }[];
}

function readArguments(m: Manifest, path: Path, outer: ReadonlyMap<string, string>): Given {
	const places = new Map(outer);
	const data: Given["data"] = [];
	for (const [kind, read] of [["parameters", readParameter] as const, ["artifacts", readArtifact] as const]) {
		const at = [...path, "arguments", kind];
		for (let i = 0; i < m.length(at); i++) read(m, [...at, i], { places, data }, outer);
	}
	return { places, data };
}

function readParameter(m: Manifest, path: Path, { places }: Given, outer: ReadonlyMap<string, string>): void {
	const name = m.text([...path, "name"]) ?? "";
	const unknown = new Set<string>();
	const value = fillPlaces(m.text([...path, "value"]) ?? "", outer, unknown);
	const [first] = unknown;
	if (first === undefined) m.say(path, "carried", `Parameter ${name}`);
	else
		m.say(
			path,
			"question",
			`Parameter ${name}: ${first}`,
			"Values that a step computes cannot be passed to other steps. Write them to an output and read that.",
		);
	places.set(`inputs.parameters.${name}`, value);
}

function readArtifact(m: Manifest, path: Path, { data }: Given): void {
	const artifact = m.text([...path, "name"]) ?? "";
	const [, step, output] = ARTIFACT_OF_STEP.exec((m.text([...path, "from"]) ?? "").replace(/\s/g, "")) ?? [];
	if (step === undefined || output === undefined) {
		m.say(path, "question", `Artifact ${artifact}`, "Declare it as data of the job: an address, or STEP.OUTPUT.");
		return;
	}
	m.say(path, "carried", `Artifact ${artifact} from ${step}`);
	data.push({ artifact, from: `${plainName(step)}.${plainName(output)}` });
}

/** The job for a template that runs one container or script. */
function readLeaf(
	{ m, context, places: global }: Reader,
	path: Path,
	given: ReadonlyMap<string, string>,
	from: Given["data"],
): Pick<DraftStep, "job" | "retry"> {
	m.ignore([...path, "name"]);
	dropSettings(m, path);
	const places = new Map([...global, ...given]);
	const inputs = readInputs(m, path, places, from);
	const outputs = readOutputs(m, path, places);
	const pod = readWork(m, path, context);
	const filled = fillPlaceholders(m, path, pod, places);
	const accelerators = [...new Set([...pod.accelerators, ...readSelector(m, [...path, "nodeSelector"], context)])];
	for (const key of ["volumes", "sidecars", "initContainers", "daemon", "synchronization", "serviceAccountName", "parallelism"])
		m.say([...path, key], "question", key, NOT_HERE);
	const retry = m.number([...path, "retryStrategy", "limit"]);
	m.say(
		[...path, "retryStrategy"],
		"changed",
		`Retries ${retry ?? ""}`,
		"A failed job is resubmitted that many times; an interrupted one always restarts.",
	);
	const seconds = m.number([...path, "activeDeadlineSeconds"]);
	m.say(
		[...path, "activeDeadlineSeconds"],
		"changed",
		`Time limit ${seconds ?? ""} s`,
		"Kept as the limit of the run; the wait before it does not count.",
	);
	reportMissingGpus(m, path, pod);
	return {
		...(retry !== null && { retry: Math.min(retry, RETRY_MAX) }),
		job: jobOf({ ...pod, ...filled, accelerators }, { data: inputs, outputs, maxMs: seconds === null ? null : seconds * SECOND_MS }),
	};
}

function readInputs(m: Manifest, path: Path, places: Map<string, string>, from: Given["data"]): { from: string; mount: string }[] {
	const parameters = [...path, "inputs", "parameters"];
	for (let i = 0; i < m.length(parameters); i++) {
		const name = m.text([...parameters, i, "name"]) ?? "";
		const value = m.text([...parameters, i, "value"]) ?? m.text([...parameters, i, "default"]);
		if (!places.has(`inputs.parameters.${name}`) && value !== null) places.set(`inputs.parameters.${name}`, value);
		m.ignore([...parameters, i]);
	}
	const artifacts = [...path, "inputs", "artifacts"];
	return Array.from({ length: m.length(artifacts) }, (_, i) => {
		const name = m.text([...artifacts, i, "name"]) ?? "";
		const mount = m.text([...artifacts, i, "path"]) ?? `inputs/${plainName(name)}`;
		const source = from.find(({ artifact }) => artifact === name);
		places.set(`inputs.artifacts.${name}.path`, mount);
		if (source) m.ignore([...artifacts, i]);
		else m.say([...artifacts, i], "question", `Artifact ${name}`, "Declare it as data of the job, with its address.");
		return source ? [{ from: source.from, mount }] : [];
	}).flat();
}

function readOutputs(m: Manifest, path: Path, places: Map<string, string>): { name: string; path: string }[] {
	m.say(
		[...path, "outputs", "parameters"],
		"question",
		"Output parameters",
		"Values cannot be passed to other steps. Write them to an output and read that.",
	);
	m.say([...path, "outputs", "exitCode"], "dropped", "Exit code", "Conditions can read a step's exit code.");
	const artifacts = [...path, "outputs", "artifacts"];
	return Array.from({ length: m.length(artifacts) }, (_, i) => {
		const name = m.text([...artifacts, i, "name"]) ?? "";
		const at = m.text([...artifacts, i, "path"]) ?? `outputs/${plainName(name)}`;
		places.set(`outputs.artifacts.${name}.path`, at);
		m.say([...artifacts, i], "carried", `Output ${name}`);
		return { name: plainName(name), path: at };
	});
}

function readWork(m: Manifest, path: Path, context: ImportContext): PodFacts {
	if (m.has([...path, "container"])) return readContainer(m, [...path, "container"], context);
	if (!m.has([...path, "script"])) {
		for (const key of ["resource", "http", "suspend", "data", "plugin", "containerSet", "dag", "steps"])
			m.say([...path, key], "question", `Template type ${key}`, NOT_HERE);
		return { image: null, command: NO_COMMAND, env: {}, gpus: null, accelerators: [], cpus: null, memoryGiB: null };
	}
	const script = [...path, "script"];
	const source = m.text([...script, "source"]) ?? "";
	m.say([...script, "source"], "changed", "Script", "Written to a file that the command runs.");
	const pod = readContainer(m, script, context);
	return { ...pod, command: ["sh", "-c", 'printf "%s" "$0" > spillway-script && exec "$@" spillway-script', source, ...pod.command] };
}
