import { SpillwayError } from "../../../kernel/errors.ts";
import { formatDuration } from "../../../kernel/units.ts";
import type { JobFile } from "../../job-file.ts";
import { JOB_LIMITS } from "../../job-schema.ts";
import { plainName } from "../plain-name.ts";
import { sweepOf } from "../sweep.ts";
import type { Finding, ImportContext, Imported, SweepFile } from "../types.ts";
import { readBody } from "./body.ts";
import { readIdentity } from "./identity.ts";
import { featuresOf, isNetworkOnly, readInterconnect } from "./interconnect.ts";
import { readOutputs } from "./outputs.ts";
import { type Directive, readScript, type Script } from "./read-script.ts";
import { readResources, type SbatchResources } from "./resources.ts";
import { arrayIndices } from "./times.ts";
import { readWishes } from "./wishes.ts";

/** Maximum number of tasks in an array. */
export const MOST_ARRAY_TASKS = 1_000;

/** How a script was submitted, if known. */
export interface Submitted {
	/** The script's name and arguments. */
	called?: { name: string; args: readonly string[] } | undefined;
	/** The array task that this is; overrides the script's array directive. */
	task?: { arrayId: string; number: number } | undefined;
}

/**
 * Converts a batch script to a job, or an array to one sweep. Never throws for text that contains a script: everything
 * that is not carried over becomes a finding, and open questions are left to the person. The script itself is
 * unchanged; a few lines before it replace missing cluster commands.
 * @throws SpillwayError `invalid_input` for an empty text, `payload_too_large`
 */
export function importSbatch(text: string, context: ImportContext, { called, task: only }: Submitted = {}): Imported<JobFile | SweepFile> {
	if (text.length > JOB_LIMITS.partCharacters)
		throw new SpillwayError(
			"payload_too_large",
			`The script has ${text.length} characters; at most ${JOB_LIMITS.partCharacters} are allowed.`,
			{
				fix: "Move large parts into files that the script calls.",
			},
		);
	const script = readScript(text);
	if (script.lines.every((line) => line.trim() === ""))
		throw new SpillwayError("invalid_input", "The text contains no script.", { fix: "Paste the whole file, including its first line." });
	const { findings } = script;
	const last = lastOfEach(script, findings);
	const resources = readResources(last, findings);
	const identity = readIdentity(last, context, findings);
	const interconnect = readInterconnect(last, findings);
	const wishes = readWishes(last, context, findings);
	const outputs = readOutputs(script, findings);
	const array = only ? null : readArray(last.get("array"), findings);
	const known = knownEnvironment(identity.name, resources);
	// A single task does not reveal how many tasks its array has: the command line may have overridden the script.
	if (only) known.set("SLURM_ARRAY_TASK_ID", String(only.number)).set("SLURM_ARRAY_JOB_ID", only.arrayId);
	if (array)
		for (const name of ["SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX"])
			known.set(name, "");
	const body = readBody(script.lines, script.bodyAt, { image: wishes.image !== null, ...resources, known }, findings);
	const job: JobFile = {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: {
			name: only ? plainName(`${identity.name.slice(0, 56)}-${only.number}`) : identity.name,
			team: identity.team,
			...(identity.project === null ? {} : { project: identity.project }),
			...(Object.keys(identity.labels).length === 0 ? {} : { labels: identity.labels }),
		},
		spec: {
			...(wishes.image === null ? {} : { image: wishes.image }),
			command: commandOf(script, body.prelude, wishes.folder, called),
			...envOf({ ...wishes.env, ...body.env, ...arrayEnv(array?.indices ?? null) }),
			nodes: resources.nodes,
			...(interconnect === null ? {} : { interconnect }),
			resources: resourcesOf(resources, last, context, findings),
			...(wishes.maxMs === null ? {} : { duration: { max: formatDuration(wishes.maxMs) } }),
			...(wishes.notify === null ? {} : { notify: wishes.notify }),
			...(outputs.length > 0 && { outputs }),
			...(wishes.deadlineMs === null ? {} : { deadline: new Date(wishes.deadlineMs).toISOString().replace(".000Z", "Z") }),
		},
	};
	const document = array ? sweepOf(job, array.indices, { variable: "SLURM_ARRAY_TASK_ID", parallel: array.atOnce }) : job;
	return { documents: [document], findings: findings.sort((a, b) => a.line - b.line) };
}

/** The last value of a repeated option wins, as with sbatch. Options without an equivalent here are reported. */
function lastOfEach(script: Script, findings: Finding[]): Map<string, Directive> {
	const last = new Map<string, Directive>();
	for (const directive of script.directives) {
		const { option, line, value } = directive;
		const subject = `--${option.name}${value === "" ? "" : `=${value.slice(0, 60)}`}`;
		const before = last.get(option.name);
		if (before)
			findings.push({
				line: before.line,
				kind: "dropped",
				subject: `--${option.name}=${before.value.slice(0, 60)}`,
				text: `Set again on line ${line}; the last value applies.`,
			});
		last.set(option.name, directive);
		if (option.dropped !== undefined) findings.push({ line, kind: "dropped", subject, text: option.dropped });
	}
	return last;
}

function knownEnvironment(name: string, r: SbatchResources): Map<string, string> {
	const known = new Map([
		["SLURM_JOB_NAME", name],
		["SLURM_NNODES", String(r.nodes)],
		["SLURM_JOB_NUM_NODES", String(r.nodes)],
		["SLURM_NTASKS", String(r.nodes * r.tasksPerNode)],
		["SLURM_NTASKS_PER_NODE", String(r.tasksPerNode)],
		["SLURM_NPROCS", String(r.nodes * r.tasksPerNode)],
	]);
	if (r.gpusPerNode !== null) known.set("SLURM_GPUS_ON_NODE", String(r.gpusPerNode)).set("SLURM_GPUS_PER_NODE", String(r.gpusPerNode));
	if (r.cpusPerNode !== null)
		known
			.set("SLURM_CPUS_PER_TASK", String(Math.max(1, Math.floor(r.cpusPerNode / r.tasksPerNode))))
			.set("SLURM_CPUS_ON_NODE", String(r.cpusPerNode));
	if (r.memoryGiBPerNode !== null) known.set("SLURM_MEM_PER_NODE", String(Math.round(r.memoryGiBPerNode * 1024)));
	return known;
}

function readArray(directive: Directive | undefined, findings: Finding[]): { indices: number[]; atOnce: number | null } | null {
	if (!directive) return null;
	const { line, value } = directive;
	const read = arrayIndices(value, MOST_ARRAY_TASKS);
	const subject = `Array ${value.slice(0, 60)}`;
	if (read === null || read === "too_many") {
		const text =
			read === null
				? "Not a list of task numbers. Use for example 1-10%4."
				: `An array can have at most ${MOST_ARRAY_TASKS} tasks. Submit it in parts.`;
		findings.push({ line, kind: "question", subject, text });
		return null;
	}
	const limit = read.atOnce ? `, ${read.atOnce} at a time` : "";
	findings.push({
		line,
		kind: "changed",
		subject,
		text: `Becomes one sweep of ${read.indices.length} jobs${limit}, each with its own SLURM_ARRAY_TASK_ID.`,
	});
	return read;
}

function arrayEnv(tasks: readonly number[] | null): Record<string, string> {
	if (!tasks) return {};
	const [first = 0, last = first] = [tasks[0], tasks.at(-1)];
	return { SLURM_ARRAY_TASK_COUNT: String(tasks.length), SLURM_ARRAY_TASK_MIN: String(first), SLURM_ARRAY_TASK_MAX: String(last) };
}

function envOf(env: Record<string, string>): { env?: Record<string, string> } {
	return Object.keys(env).length === 0 ? {} : { env };
}

/** The interpreter from the first line runs the text, after the replacements if it is a shell. */
function commandOf(script: Script, prelude: readonly string[], folder: string | null, called: Submitted["called"]): string[] {
	const { interpreter, lines } = script;
	const text = `${lines.join("\n")}\n`;
	const words = interpreter.length > 0 ? interpreter : ["/bin/bash"];
	const shell = words.some((word) => /(^|\/)(ba|da|k|z)?sh$/.test(word));
	if (!shell) return [...words, "-c", text, ...(called?.args ?? [])];
	const before = [...(folder === null ? [] : [`cd ${quoted(folder)}`]), ...prelude];
	const whole = before.length === 0 ? text : `${before.join("\n")}\n${text}`;
	// With `-c`, a shell takes the first word after the text as its own name.
	return [...words, "-c", whole, ...(called ? [called.name, ...called.args] : [])];
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}

function resourcesOf(
	r: SbatchResources,
	last: ReadonlyMap<string, Directive>,
	context: ImportContext,
	findings: Finding[],
): NonNullable<JobFile["spec"]["resources"]> {
	const words = [r.gpuType, ...featuresOf(last.get("constraint")?.value ?? "")].filter((word) => word !== "");
	const accelerators = [...new Set(words.flatMap((word) => context.acceleratorsNamed(word)))];
	const say = (line: number, kind: Finding["kind"], subject: string, text: string): void => {
		findings.push({ line, kind, subject, text });
	};
	const constraint = last.get("constraint");
	if (constraint) {
		const named = featuresOf(constraint.value).some((word) => context.acceleratorsNamed(word).length > 0);
		if (named || isNetworkOnly(constraint.value)) say(constraint.line, "carried", `Constraint ${constraint.value.slice(0, 60)}`, "");
		else
			say(
				constraint.line,
				"question",
				`Constraint ${constraint.value.slice(0, 60)}`,
				"A feature of the cluster's own nodes. Set the accelerator or memory that it implies, or remove it.",
			);
	}
	if (r.gpuType !== "" && context.acceleratorsNamed(r.gpuType).length === 0) {
		const line = (last.get("gres") ?? last.get("gpus") ?? last.get("gpus-per-node") ?? last.get("gpus-per-task"))?.line ?? 1;
		say(
			line,
			"question",
			`GPUs of type ${r.gpuType.slice(0, 40)}`,
			"Unknown accelerator. Set a known model, or remove the type if any GPU will do.",
		);
	}
	if (r.gpusPerNode === null) say(1, "changed", "No GPUs requested", "Jobs need at least 1 GPU, so 1 is requested.");
	return {
		gpus: r.gpusPerNode ?? 1,
		...(accelerators.length === 0 ? {} : { accelerators }),
		...(r.cpusPerNode === null ? {} : { cpus: r.cpusPerNode }),
		...(r.memoryGiBPerNode === null ? {} : { memoryGiB: r.memoryGiBPerNode }),
	};
}
