import type { Document } from "yaml";
import { z } from "zod";
import { SpillwayError } from "../kernel/errors.ts";
import { HOUR_MS, MINUTE_MS, parseDurationMs, SECOND_MS } from "../kernel/units.ts";
import { dataAddressOf } from "./data-address.ts";
import type { JobSpec } from "./job.ts";
import { changedEnvValues, invalidJob, MOST_PROBLEMS, type PathProblem, placeOf, problemsOf, protoKeys } from "./job-file-problems.ts";
import { readYaml } from "./read-yaml.ts";
import { WORKLOAD_CLASSES } from "./vocabulary.ts";

/** Everything that comes from outside has a bound. */
export const JOB_LIMITS = {
	documentBytes: 256 * 1024,
	commandParts: 1_000,
	partCharacters: 32_768,
	envEntries: 200,
	labels: 64,
	dataRefs: 64,
	nodes: 256,
	gpusPerNode: 16,
	cpusPerNode: 4_096,
	durationMs: 90 * 24 * HOUR_MS,
	checkpointIntervalMinMs: SECOND_MS,
} as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const RESERVED_ENV = /^(SPILLWAY_|CUDA_VISIBLE_DEVICES$)/;

const name = (what: string) =>
	z.string().regex(NAME, `${what} must be 1 to 63 letters, digits, ".", "_" or "-", beginning and ending with a letter or digit`);

const duration = z.string("a length of time needs a unit, for example 90s, 15m or 6h").transform((text, ctx) => {
	const ms = parseDurationMs(text);
	if (ms === null || ms <= 0 || ms > JOB_LIMITS.durationMs) {
		ctx.addIssue({ code: "custom", message: `"${text}" is not a length of time; write for example 90s, 15m, 6h or 1h30m, at most 90d` });
		return z.NEVER;
	}
	return ms;
});

const instant = z.string().transform((text, ctx) => {
	const match = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.exec(text);
	const ms = match ? Date.parse(text) : Number.NaN;
	// Date.parse rolls 30 February over into March
	const lastDay = match ? new Date(Date.UTC(Number(match[1]), Number(match[2]), 0)).getUTCDate() : 0;
	if (Number.isNaN(ms) || Number(match?.[3]) > lastDay) {
		ctx.addIssue({ code: "custom", message: `"${text}" is not a point in time; write for example 2026-12-01T08:00:00Z` });
		return z.NEVER;
	}
	return ms;
});

const mountPath = z
	.string()
	.min(1)
	.max(512)
	.refine(
		(p) => !CONTROL.test(p) && p.isWellFormed() && !p.split("/").includes(".."),
		'a path must not contain ".." or control characters',
	);

/** Any text that PostgreSQL can keep: no NUL, no half of a surrogate pair. */
const text = (max: number) =>
	z
		.string()
		.max(max)
		.refine((s) => !s.includes("\u0000") && s.isWellFormed(), "must not contain NUL or broken Unicode characters");

const line = (max: number) =>
	z
		.string()
		.min(1)
		.max(max)
		.refine((s) => !CONTROL.test(s) && s.isWellFormed(), "must not contain control characters");

function checkDataUri(uri: string, ctx: z.RefinementCtx): void {
	// Without a scheme that is said already.
	if (!uri.includes(":")) return;
	try {
		dataAddressOf(uri);
	} catch (error) {
		ctx.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
	}
}

const wholeNumber = (what: string, min: number, max: number) =>
	z.number().int(`${what} must be a whole number: fractions of a GPU, CPU or node cannot be had`).min(min).max(max);

const gib = z.number().positive().max(1e9);

const spec = z.strictObject({
	class: z.enum(WORKLOAD_CLASSES).default("burst"),
	image: line(512).optional(),
	command: z.array(text(JOB_LIMITS.partCharacters)).min(1).max(JOB_LIMITS.commandParts),
	env: z
		.record(
			z
				.string()
				.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "an environment name is letters, digits and _, not beginning with a digit")
				.refine((k) => !RESERVED_ENV.test(k), "SPILLWAY_* and CUDA_VISIBLE_DEVICES are set by Spillway"),
			z.union([text(JOB_LIMITS.partCharacters), z.number().transform(String), z.boolean().transform(String)], {
				error: `a value is a text of at most ${JOB_LIMITS.partCharacters} characters without NUL, a number, or true or false`,
			}),
		)
		.refine((e) => Object.keys(e).length <= JOB_LIMITS.envEntries, `at most ${JOB_LIMITS.envEntries} environment entries`)
		.default({}),
	nodes: wholeNumber("nodes", 1, JOB_LIMITS.nodes).default(1),
	resources: z
		.strictObject({
			gpus: wholeNumber("gpus", 1, JOB_LIMITS.gpusPerNode).default(1),
			accelerators: z.array(line(64)).max(32).default([]),
			cpus: wholeNumber("cpus", 1, JOB_LIMITS.cpusPerNode).optional(),
			memoryGiB: gib.optional(),
		})
		.default({ gpus: 1, accelerators: [] }),
	duration: z.strictObject({ estimate: duration.optional(), max: duration.optional() }).default({}),
	deadline: instant.optional(),
	priority: wholeNumber("priority", 0, 100).default(50),
	critical: z.boolean().default(false),
	checkpoint: z
		.strictObject({
			path: mountPath,
			uri: line(1024).optional(),
			interval: duration
				.refine((ms) => ms >= JOB_LIMITS.checkpointIntervalMinMs, "must be at least 1s, so that the job still gets to work")
				.default(15 * MINUTE_MS),
		})
		.optional(),
	data: z
		.array(
			z.strictObject({
				uri: line(1024)
					.regex(/^[a-z][a-z0-9+.-]*:/, "uri needs a scheme, for example s3://bucket/path or file:./folder")
					.superRefine(checkDataUri),
				sizeGiB: gib.optional(),
				mount: mountPath,
				residency: z
					.array(z.string().regex(/^[a-z]{2,16}$/, "residency is a lower-case area such as eu or us"))
					.max(16)
					.default([]),
			}),
		)
		.max(JOB_LIMITS.dataRefs)
		.refine((refs) => new Set(refs.map((d) => d.mount)).size === refs.length, "two data sets have the same mount; each needs its own")
		.default([]),
});

const metadata = z.strictObject({
	name: name("name"),
	team: name("team"),
	project: name("project").optional(),
	labels: z
		.record(
			name("label"),
			text(256).refine((v) => !CONTROL.test(v), "labels must not contain control characters"),
		)
		.refine((l) => Object.keys(l).length <= JOB_LIMITS.labels, `at most ${JOB_LIMITS.labels} labels`)
		.default({}),
});

/** The job as people write it (DESIGN: "The job, as people write it"). Unknown fields are errors. */
export const jobFileSchema = z
	.strictObject({ apiVersion: z.literal("spillway/v1"), kind: z.literal("Job"), metadata, spec })
	.transform((file, ctx): JobSpec => {
		const { estimate = null, max = null } = file.spec.duration;
		if (estimate !== null && max !== null && estimate > max) {
			ctx.addIssue({ code: "custom", path: ["spec", "duration", "estimate"], message: "estimate is longer than max" });
		}
		return {
			name: file.metadata.name,
			team: file.metadata.team,
			project: file.metadata.project ?? null,
			labels: file.metadata.labels,
			class: file.spec.class,
			image: file.spec.image ?? null,
			command: file.spec.command,
			env: file.spec.env,
			nodes: file.spec.nodes,
			resources: {
				gpus: file.spec.resources.gpus,
				accelerators: file.spec.resources.accelerators,
				cpus: file.spec.resources.cpus ?? null,
				memoryGiB: file.spec.resources.memoryGiB ?? null,
			},
			duration: { estimateMs: estimate, maxMs: max },
			deadlineMs: file.spec.deadline ?? null,
			priority: file.spec.priority,
			critical: file.spec.critical,
			checkpoint: file.spec.checkpoint
				? { path: file.spec.checkpoint.path, uri: file.spec.checkpoint.uri ?? null, intervalMs: file.spec.checkpoint.interval }
				: null,
			data: file.spec.data.map((d) => ({ uri: d.uri, sizeGiB: d.sizeGiB ?? null, mount: d.mount, residency: d.residency })),
		};
	});

/** The document form, before it is checked: what JSON bodies of `POST /jobs` hold. */
export type JobFile = z.input<typeof jobFileSchema>;

/** The fields of the object at a dotted path, for "did you mean". Array indices are left out of the path. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
	"": ["apiVersion", "kind", "metadata", "spec"],
	metadata: Object.keys(metadata.shape),
	spec: Object.keys(spec.shape),
	"spec.resources": ["gpus", "accelerators", "cpus", "memoryGiB"],
	"spec.duration": ["estimate", "max"],
	"spec.checkpoint": ["path", "uri", "interval"],
	"spec.data": ["uri", "sizeGiB", "mount", "residency"],
};
const fieldsAt = (path: string) => FIELDS[path.replace(/\.\d+(?=\.|$)/g, "")] ?? [];

function check(document: unknown): { spec: JobSpec; problems: [] } | { spec: null; problems: PathProblem[] } {
	const dropped = protoKeys(document);
	const result = jobFileSchema.safeParse(document);
	if (result.success && dropped.length === 0) return { spec: result.data, problems: [] };
	const issues = result.success ? [] : result.error.issues;
	return { spec: null, problems: [...issues.flatMap((issue) => problemsOf(issue, document, fieldsAt)), ...dropped] };
}

/**
 * Checks a parsed document.
 * @throws SpillwayError `invalid_input` naming every wrong field, its value and what is allowed.
 */
export function parseJobDocument(document: unknown): JobSpec {
	const { spec: found, problems } = check(document);
	if (found) return found;
	throw invalidJob(problems);
}

/**
 * Reads job YAML (JSON is YAML too).
 * @throws SpillwayError `invalid_input` with line and column of each problem; `payload_too_large`.
 */
export function parseJobText(source: string): JobSpec {
	if (source.length > JOB_LIMITS.documentBytes) {
		throw new SpillwayError(
			"payload_too_large",
			`the job file has ${source.length} characters; at most ${JOB_LIMITS.documentBytes} are read`,
		);
	}
	const { doc, lines, problems: unreadable } = readYaml(source);
	if (!doc) {
		throw invalidJob(
			unreadable.map(({ offset, message }) => {
				const at = lines.linePos(offset);
				return { path: "", message: `the YAML cannot be read: ${message}`, line: Math.max(1, at.line), column: Math.max(1, at.col) };
			}),
		);
	}
	const { spec: found, problems } = check(plainOf(doc));
	const changed = changedEnvValues(doc);
	if (found && changed.length === 0) return found;
	throw invalidJob([...problems, ...changed].slice(0, MOST_PROBLEMS).map((problem) => placeOf(problem, doc, lines)));
}

function plainOf(doc: Document): unknown {
	try {
		return doc.toJS({ maxAliasCount: 50 });
	} catch (cause) {
		throw invalidJob([{ path: "", message: `the YAML cannot be expanded: ${cause instanceof Error ? cause.message : String(cause)}` }]);
	}
}
