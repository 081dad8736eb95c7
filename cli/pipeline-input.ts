import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Document, isNode } from "yaml";
import { JOB_LIMITS } from "#server/domain/job-schema.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import { type Args, badInput } from "./args.ts";
import type { Io } from "./io.ts";
import { resolveFileUris } from "./job-input.ts";

/**
 * The text of a pipeline file for the server to parse, so that problems keep their lines. Relative `file:` addresses
 * are made absolute.
 * @throws CliError when the file cannot be read, or when a path in its data does not exist
 */
export async function readPipelineText(file: string, io: Pick<Io, "cwd" | "readStdin">): Promise<string> {
	const text =
		file === "-" ? await io.readStdin(JOB_LIMITS.documentBytes) : await readFile(path.resolve(io.cwd, file), "utf8").catch(() => null);
	if (text === null) throw badInput(`-f ${file}: cannot be read.`);
	const { doc } = readYaml(text);
	return doc ? withAbsoluteFiles(text, doc, file === "-" ? io.cwd : path.dirname(path.resolve(io.cwd, file))) : text;
}

function withAbsoluteFiles(text: string, doc: Document, folder: string): string {
	const places = addressesOf(doc).flatMap(({ at, uri }) => {
		const node = doc.getIn(at, true);
		return isNode(node) && node.range ? [{ from: node.range[0], to: node.range[1], uri }] : [];
	});
	let out = text;
	// From the end, so that earlier positions keep their offsets.
	for (const { from, to, uri } of places.sort((a, b) => b.from - a.from)) {
		const data = [{ uri }];
		resolveFileUris({ spec: { data } }, folder);
		out = `${out.slice(0, from)}${JSON.stringify(data[0]?.uri)}${out.slice(to)}`;
	}
	return out;
}

interface Address {
	at: (string | number)[];
	uri: string;
}

/** Relative `file:` addresses in the data of all jobs, and for a trigger also in its location and pipeline, with their paths. */
function addressesOf(doc: Document): Address[] {
	const plain: unknown = doc.toJS({ maxAliasCount: 50 });
	const spec = field(plain, "spec");
	const data = field(spec, "data");
	const own = Array.isArray(data)
		? data.flatMap((set: unknown, i) => addressAt(set, ["spec", "data", i]))
		: addressAt(data, ["spec", "data"]);
	return [
		...own,
		...addressesOfJobs(spec, ["spec"]),
		...addressesOfJobs(field(field(spec, "pipeline"), "spec"), ["spec", "pipeline", "spec"]),
	];
}

function addressesOfJobs(spec: unknown, below: string[]): Address[] {
	const steps = field(spec, "steps");
	const jobs = Array.isArray(steps)
		? steps.map((step: unknown, i) => ({ job: field(step, "job"), at: [...below, "steps", i, "job", "data"] }))
		: [{ job: field(spec, "job"), at: [...below, "job", "data"] }];
	return jobs.flatMap(({ job, at }) => {
		const data = field(job, "data");
		return (Array.isArray(data) ? data : []).flatMap((set: unknown, i) => addressAt(set, [...at, i]));
	});
}

function addressAt(set: unknown, at: (string | number)[]): Address[] {
	const uri = field(set, "uri");
	return typeof uri === "string" && /^file:(?!\/\/)/.test(uri) ? [{ at: [...at, "uri"], uri }] : [];
}

function field(value: unknown, key: string): unknown {
	return value !== null && typeof value === "object" ? (value as Record<string, unknown>)[key] : undefined;
}

/**
 * Values of `--param NAME=VALUE`.
 * @throws CliError for one without a name
 */
export function parametersOf(args: Args): Record<string, string> {
	return Object.fromEntries(
		args.list("param").map((text) => {
			const split = text.indexOf("=");
			if (split < 1) throw badInput(`--param: "${text}" is not NAME=VALUE.`);
			return [text.slice(0, split), text.slice(split + 1)];
		}),
	);
}
