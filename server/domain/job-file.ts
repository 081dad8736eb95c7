import type { Document } from "yaml";
import type { z } from "zod";
import { SpillwayError } from "../kernel/errors.ts";
import type { JobSpec } from "./job.ts";
import { changedEnvValues, invalidJob } from "./job-file-problems.ts";
import { JOB_LIMITS, jobDocumentSchema } from "./job-schema.ts";
import { readYaml } from "./read-yaml.ts";
import { locateProblem, MAX_PROBLEMS, type PathProblem, problemsOf, protoKeys, withFix } from "./schema/problems.ts";

/** The document read as a job, with defaults applied. */
export const jobFileSchema = jobDocumentSchema.transform((file, ctx): JobSpec => {
	const { estimate = null, max = null } = file.spec.duration;
	if (estimate !== null && max !== null && estimate > max)
		ctx.addIssue({ code: "custom", path: ["spec", "duration", "estimate"], message: "must not be longer than max" });
	return specOf(file);
});

function specOf({ metadata, spec }: z.output<typeof jobDocumentSchema>): JobSpec {
	const { resources, checkpoint } = spec;
	return {
		name: metadata.name,
		team: metadata.team,
		project: metadata.project ?? null,
		labels: metadata.labels,
		class: spec.class,
		image: spec.image ?? null,
		command: spec.command,
		env: spec.env,
		nodes: spec.nodes,
		resources: {
			gpus: resources.gpus,
			accelerators: resources.accelerators,
			cpus: resources.cpus ?? null,
			memoryGiB: resources.memoryGiB ?? null,
			...(resources.gpuMemoryGiB !== undefined && { gpuMemoryGiB: resources.gpuMemoryGiB }),
			...(resources.bf16 === true && { bf16: true }),
		},
		...(spec.throughput && { throughput: spec.throughput }),
		duration: { estimateMs: spec.duration.estimate ?? null, maxMs: spec.duration.max ?? null },
		deadlineMs: spec.deadline ?? null,
		priority: spec.priority,
		critical: spec.critical,
		checkpoint: checkpoint ? { path: checkpoint.path, uri: checkpoint.uri ?? null, intervalMs: checkpoint.interval } : null,
		...(spec.outputs.length > 0 && { outputs: spec.outputs.map(({ keep, ...output }) => ({ ...output, keepMs: keep ?? null })) }),
		data: spec.data.map((set) => ({ uri: set.uri, sizeGiB: set.sizeGiB ?? null, mount: set.mount, residency: set.residency })),
	};
}

/** The document before it is checked: the body of `POST /jobs`. */
export type JobFile = z.input<typeof jobFileSchema>;

function check(document: unknown): { spec: JobSpec; problems: [] } | { spec: null; problems: PathProblem[] } {
	const dropped = protoKeys(document);
	const result = jobFileSchema.safeParse(document);
	if (result.success && dropped.length === 0) return { spec: result.data, problems: [] };
	return { spec: null, problems: [...problemsOf(result.error, document, jobDocumentSchema), ...dropped] };
}

/**
 * Validates a parsed document.
 * @throws SpillwayError `invalid_input` with every invalid field, its value and what is allowed.
 */
export function parseJobDocument(document: unknown): JobSpec {
	const { spec, problems } = check(document);
	if (spec) return spec;
	throw invalidJob(problems.map((problem) => ({ ...problem, message: withFix(problem) })));
}

/**
 * Parses job YAML (JSON is YAML too).
 * @throws SpillwayError `invalid_input` with line and column of each problem; `payload_too_large`.
 */
export function parseJobText(source: string): JobSpec {
	if (source.length > JOB_LIMITS.documentBytes) {
		throw new SpillwayError("payload_too_large", `The job file has ${source.length} characters; the limit is ${JOB_LIMITS.documentBytes}.`);
	}
	const { doc, lines, problems: unreadable } = readYaml(source);
	if (!doc) {
		throw invalidJob(
			unreadable.map(({ offset, message }) => {
				const at = lines.linePos(offset);
				return { path: "", message: `Invalid YAML: ${message}`, line: Math.max(1, at.line), column: Math.max(1, at.col) };
			}),
		);
	}
	const { spec, problems } = check(plainOf(doc));
	const changed = changedEnvValues(doc);
	if (spec && changed.length === 0) return spec;
	throw invalidJob(
		[...problems, ...changed]
			.slice(0, MAX_PROBLEMS)
			.map((problem) => ({ ...locateProblem(problem, doc, lines), message: withFix(problem) })),
	);
}

function plainOf(doc: Document): unknown {
	try {
		return doc.toJS({ maxAliasCount: 50 });
	} catch (cause) {
		throw invalidJob([{ path: "", message: `Invalid YAML: ${cause instanceof Error ? cause.message : String(cause)}` }]);
	}
}
