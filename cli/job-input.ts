import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parseJobDocument, parseJobText } from "#server/domain/job-file.ts";
import { JOB_LIMITS } from "#server/domain/job-schema.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { fileUri, withAbsoluteFiles } from "./absolute-files.ts";
import { type Args, badInput, type Options } from "./args.ts";
import type { Io } from "./io.ts";

/** A job document: plain data in the form of docs/job-file.md, not normalized. */
export type JobDocument = Record<string, unknown>;

export const JOB_OPTIONS: Options = {
	file: { short: "f", value: "FILE", help: "the job file (docs/job-file.md); - reads it from stdin" },
	gpus: { value: "N", help: "GPUs on each node (default: 1)" },
	name: { value: "NAME", help: "the job's name (default: from the command)" },
	team: { value: "TEAM", help: "team that pays (default: SPILLWAY_TEAM)" },
	class: { value: "CLASS", help: "baseline, burst, experimental, sensitive or batch_inference" },
	accelerator: { value: "MODEL", many: true, help: "acceptable GPU model; may be repeated" },
	estimate: { value: "TIME", help: "expected run time, such as 40s" },
	max: { value: "TIME", help: "maximum run time, such as 10m" },
	deadline: { value: "INSTANT", help: "for example 2026-12-01T08:00:00Z" },
	priority: { value: "0..100", help: "higher first (default: 50)" },
	env: { value: "K=V", many: true, help: "an environment variable; may be repeated" },
	checkpoint: { value: "DIR", help: "folder to which the command writes checkpoints" },
	workdir: { value: "[DIR]", bare: ".", help: "copy this folder (default: the current one) to where the command runs" },
};

/** Which flag sets each field, to name the flag when the field is invalid. */
const FLAG_FIELDS: Readonly<Record<string, readonly string[]>> = {
	gpus: ["spec", "resources", "gpus"],
	name: ["metadata", "name"],
	team: ["metadata", "team"],
	class: ["spec", "class"],
	accelerator: ["spec", "resources", "accelerators"],
	estimate: ["spec", "duration", "estimate"],
	max: ["spec", "duration", "max"],
	deadline: ["spec", "deadline"],
	priority: ["spec", "priority"],
	env: ["spec", "env"],
	checkpoint: ["spec", "checkpoint", "path"],
};

/**
 * The job from a file or a command, with the flags' changes, validated like on the server.
 * @throws CliError naming the flag, or the position in the file
 */
export async function readJobInput(args: Args, io: Pick<Io, "cwd" | "env" | "readStdin">): Promise<JobDocument> {
	return (await readJob(args, io)).document;
}

/** The same with the text of the file; null for a command. */
export async function readJob(
	args: Args,
	io: Pick<Io, "cwd" | "env" | "readStdin">,
): Promise<{ document: JobDocument; text: string | null }> {
	const file = args.text("file");
	if ((file === undefined) === (args.command === null))
		throw badInput(
			"Say what to run: either -f FILE or -- COMMAND …, and not both. For example: spillway submit --gpus 1 -- python train.py",
		);
	const changes = changesOf(args);
	const read = file === undefined ? { document: fromCommand(args, io.cwd), text: null } : await fromFile(file, changes, args, io);
	const { document } = read;
	for (const { at, value } of changes) setAt(document, at, value);
	const team = io.env.SPILLWAY_TEAM;
	const metadata = document.metadata;
	if (team && metadata !== null && typeof metadata === "object" && !("team" in metadata)) setAt(document, ["metadata", "team"], team);
	withFlagInErrors(() => parseJobDocument(document));
	return read;
}

interface Change {
	at: readonly string[];
	value: unknown;
}

function changesOf(args: Args): Change[] {
	return Object.entries(FLAG_FIELDS).flatMap(([flag, at]): Change[] => {
		if (!args.has(flag)) return [];
		if (flag === "env") return args.list("env").map(envChange);
		if (flag === "accelerator") return [{ at, value: args.list("accelerator") }];
		const text = args.text(flag) ?? "";
		return [{ at, value: flag === "gpus" || flag === "priority" ? numberOf(flag, text) : text }];
	});
}

function envChange(text: string): Change {
	const split = text.indexOf("=");
	if (split < 1) throw badInput(`--env: "${text}" is not NAME=VALUE.`);
	return { at: ["spec", "env", text.slice(0, split)], value: text.slice(split + 1) };
}

function numberOf(flag: string, text: string): number {
	if (!/^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text)) throw badInput(`--${flag}: "${text}" is not a number.`);
	return Number(text);
}

function fromCommand(args: Args, cwd: string): JobDocument {
	const command = [...(args.command ?? [])];
	if (command.length === 0) throw badInput("Give the command to run after --, for example: spillway submit -- python train.py");
	const workdir = args.text("workdir");
	const spec: JobDocument = { command };
	if (workdir !== undefined) spec.data = [{ uri: fileUri(workdir, cwd, "--workdir"), mount: "." }];
	return { apiVersion: "spillway/v1", kind: "Job", metadata: { name: nameOfCommand(command) }, spec };
}

const INTERPRETERS = /^(node|python\d*(\.\d+)?|bash|sh|env|torchrun|accelerate|uv|npx)$/;

/** `node train.mjs` becomes "train"; characters that a name cannot contain are dropped. */
export function nameOfCommand(command: readonly string[]): string {
	const base = (word: string): string => path.basename(word).replace(/\.[a-z]+$/i, "");
	const [program = "", ...rest] = command;
	const script = rest.find((word) => !word.startsWith("-") && !word.includes(" ") && !word.includes("="));
	const words = INTERPRETERS.test(path.basename(program)) && script !== undefined ? script : program;
	const name = base(words)
		.replace(/[^A-Za-z0-9._-]+/g, "-")
		.replace(/^[^A-Za-z0-9]+/, "")
		.slice(0, 55)
		.replace(/[^A-Za-z0-9]+$/, "");
	return name === "" ? "job" : name;
}

async function fromFile(
	file: string,
	changes: readonly Change[],
	args: Args,
	io: Pick<Io, "cwd" | "env" | "readStdin">,
): Promise<{ document: JobDocument; text: string }> {
	if (args.has("workdir")) throw badInput("--workdir goes with -- COMMAND; a job file names its data itself (spec.data).");
	const absolute = path.resolve(io.cwd, file);
	const written = file === "-" ? await io.readStdin(JOB_LIMITS.documentBytes) : await readJobFile(absolute, file);
	const source = withAbsoluteFiles(written, file === "-" ? io.cwd : path.dirname(absolute), file);
	const given = new Set([...changes.map((c) => c.at.join(".")), ...(io.env.SPILLWAY_TEAM ? ["metadata.team"] : [])]);
	try {
		parseJobText(source);
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		// Fields set by a flag are validated with the flag.
		const own = error.fields.filter((f) => ![...given].some((at) => f.path === at || at.startsWith(`${f.path}.`)));
		const [first] = own;
		if (error.fields.length === 0) throw badInput(`${file}: ${error.message}`);
		if (first) {
			const where = first.line === undefined ? "" : `:${first.line}:${first.column}`;
			const more = own.length > 1 ? ` (and ${own.length - 1} more)` : "";
			throw badInput(`${file}${where}: ${first.path === "" ? "" : `${first.path}: `}${first.message}${more}`);
		}
	}
	const document: unknown = readYaml(source).doc?.toJS({ maxAliasCount: 50 });
	if (document === null || typeof document !== "object" || Array.isArray(document)) throw badInput(`${file}: a job is a YAML map.`);
	return { document: document as JobDocument, text: source };
}

async function readJobFile(absolute: string, shown: string): Promise<string> {
	try {
		const { size } = await stat(absolute);
		if (size > JOB_LIMITS.documentBytes) throw badInput(`${shown} has ${size} bytes; a job file has at most ${JOB_LIMITS.documentBytes}.`);
		return await readFile(absolute, "utf8");
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (code === undefined) throw error;
		const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : code;
		throw badInput(`-f ${shown}: ${why}.`);
	}
}

function setAt(document: JobDocument, at: readonly string[], value: unknown): void {
	const [key = "", ...rest] = at;
	if (rest.length === 0) {
		// Plain assignment would swallow a variable named __proto__ instead of having it rejected.
		Object.defineProperty(document, key, { value, writable: true, enumerable: true, configurable: true });
		return;
	}
	const inner = Object.hasOwn(document, key) ? document[key] : undefined;
	const next: JobDocument = inner !== null && typeof inner === "object" && !Array.isArray(inner) ? (inner as JobDocument) : {};
	document[key] = next;
	setAt(next, rest, value);
}

function withFlagInErrors<T>(check: () => T): T {
	try {
		return check();
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		const [first] = error.fields;
		if (!first) throw badInput(error.message);
		const more = error.fields.length > 1 ? ` (and ${error.fields.length - 1} more)` : "";
		if (first.path === "metadata.team" && first.message === "is required")
			throw badInput("--team is required: the team that pays. SPILLWAY_TEAM sets it permanently.");
		throw badInput(`${flagOrField(first.path)}: ${first.message}${more}`);
	}
}

/** The flag that sets a field, or the field. */
export function flagOrField(field: string): string {
	for (const [flag, at] of Object.entries(FLAG_FIELDS)) {
		const own = at.join(".");
		if (field === own || field.startsWith(`${own}.`)) return `--${flag} (${field})`;
	}
	return field;
}
