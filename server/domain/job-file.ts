import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { SpillwayError, type FieldProblem } from "../kernel/errors.ts";
import { HOUR_MS, MINUTE_MS, parseDurationMs, SECOND_MS } from "../kernel/units.ts";
import type { JobSpec } from "./job.ts";
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
	durationMs: 90 * 24 * HOUR_MS,
	checkpointIntervalMinMs: SECOND_MS,
} as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const CONTROL = /[\u0000-\u001f\u007f]/;
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const RESERVED_ENV = /^(SPILLWAY_|CUDA_VISIBLE_DEVICES$)/;

const name = (what: string) =>
	z.string().regex(NAME, `${what} must be 1 to 63 letters, digits, ".", "_" or "-", beginning and ending with a letter or digit`);

const duration = z.string().transform((text, ctx) => {
	const ms = parseDurationMs(text);
	if (ms === null || ms <= 0 || ms > JOB_LIMITS.durationMs) {
		ctx.addIssue({ code: "custom", message: `"${text}" is not a length of time; write for example 90s, 15m, 6h or 1h30m, at most 90d` });
		return z.NEVER;
	}
	return ms;
});

const instant = z.string().transform((text, ctx) => {
	const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
	if (Number.isNaN(ms)) {
		ctx.addIssue({ code: "custom", message: `"${text}" is not a point in time; write for example 2026-12-01T08:00:00Z` });
		return z.NEVER;
	}
	return ms;
});

const mountPath = z
	.string()
	.min(1)
	.max(512)
	.refine((p) => !CONTROL.test(p) && !p.split("/").includes(".."), 'a path must not contain ".." or control characters');

const text = (max: number) => z.string().max(max).refine((s) => !s.includes("\u0000"), "must not contain NUL characters");

const wholeNumber = (what: string, min: number, max: number) =>
	z.number().int(`${what} must be a whole number: fractions of a GPU, CPU or node cannot be had`).min(min).max(max);

const gib = z.number().positive().max(1e9);

const spec = z.strictObject({
	class: z.enum(WORKLOAD_CLASSES).default("burst"),
	image: text(512).min(1).optional(),
	command: z.array(text(JOB_LIMITS.partCharacters)).min(1).max(JOB_LIMITS.commandParts),
	env: z
		.record(
			z
				.string()
				.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "an environment name is letters, digits and _, not beginning with a digit")
				.refine((k) => !RESERVED_ENV.test(k), "SPILLWAY_* and CUDA_VISIBLE_DEVICES are set by Spillway"),
			z.union([text(JOB_LIMITS.partCharacters), z.number().transform(String), z.boolean().transform(String)]),
		)
		.refine((e) => Object.keys(e).length <= JOB_LIMITS.envEntries, `at most ${JOB_LIMITS.envEntries} environment entries`)
		.default({}),
	nodes: wholeNumber("nodes", 1, JOB_LIMITS.nodes).default(1),
	resources: z
		.strictObject({
			gpus: wholeNumber("gpus", 1, JOB_LIMITS.gpusPerNode).default(1),
			accelerators: z.array(z.string().min(1).max(64)).max(32).default([]),
			cpus: wholeNumber("cpus", 1, 4096).optional(),
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
			uri: text(1024).min(1).optional(),
			interval: duration.default(15 * MINUTE_MS),
		})
		.optional(),
	data: z
		.array(
			z.strictObject({
				uri: text(1024).regex(/^[a-z][a-z0-9+.-]*:/, "uri needs a scheme, for example s3://bucket/path or file:./folder"),
				sizeGiB: gib.optional(),
				mount: mountPath,
				residency: z.array(z.string().regex(/^[a-z]{2,16}$/, "residency is a lower-case area such as eu or us")).max(16).default([]),
			}),
		)
		.max(JOB_LIMITS.dataRefs)
		.default([]),
});

const metadata = z.strictObject({
	name: name("name"),
	team: name("team"),
	project: name("project").optional(),
	labels: z
		.record(name("label"), text(256).refine((v) => !CONTROL.test(v), "labels must not contain control characters"))
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

/**
 * Checks a parsed document.
 * @throws SpillwayError `invalid_input` naming every wrong field, its value and what is allowed.
 */
export function parseJobDocument(document: unknown): JobSpec {
	const result = jobFileSchema.safeParse(document);
	if (result.success) return result.data;
	throw invalidJob(result.error.issues.flatMap((issue) => problemsOf(issue, document)));
}

/**
 * Reads job YAML (JSON is YAML too).
 * @throws SpillwayError `invalid_input` with line and column of each problem.
 */
export function parseJobText(source: string): JobSpec {
	if (source.length > JOB_LIMITS.documentBytes) {
		throw new SpillwayError("payload_too_large", `the job file has ${source.length} characters; at most ${JOB_LIMITS.documentBytes} are read`);
	}
	const lines = new LineCounter();
	const doc = parseDocument(source, { lineCounter: lines, uniqueKeys: true });
	if (doc.errors.length > 0) {
		throw invalidJob(
			doc.errors.map((e) => {
				const at = lines.linePos(e.pos[0]);
				return { path: "", message: e.message.split("\n")[0] ?? "not YAML", line: at.line, column: at.col };
			}),
		);
	}
	let document: unknown;
	try {
		document = doc.toJS({ maxAliasCount: 50 });
	} catch (cause) {
		throw invalidJob([{ path: "", message: `the YAML cannot be expanded: ${cause instanceof Error ? cause.message : String(cause)}` }]);
	}
	const result = jobFileSchema.safeParse(document);
	if (result.success) return result.data;
	throw invalidJob(
		result.error.issues.flatMap((issue) =>
			problemsOf(issue, document).map((problem) => {
				const node = nearestNode(doc, issue.path);
				if (!node?.range) return problem;
				const at = lines.linePos(node.range[0]);
				return { ...problem, line: at.line, column: at.col };
			}),
		),
	);
}

function invalidJob(fields: FieldProblem[]): SpillwayError {
	const first = fields[0];
	const where = first ? `${first.path || "the document"}: ${first.message}` : "unreadable";
	const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : "";
	return new SpillwayError("invalid_input", `The job is not valid. ${where}${more}`, { fields, fix: "Correct the named fields; docs/job-file.md lists all of them." });
}

function problemsOf(issue: z.core.$ZodIssue, document: unknown): FieldProblem[] {
	const path = issue.path.map(String).join(".");
	if (issue.code === "unrecognized_keys") {
		return issue.keys.map((key) => ({ path: path ? `${path}.${key}` : key, message: "there is no such field" }));
	}
	const given = issue.path.reduce<unknown>((v, key) => (v !== null && typeof v === "object" ? (v as Record<PropertyKey, unknown>)[key] : undefined), document);
	const shown = given === undefined ? "" : `, got ${JSON.stringify(given)?.slice(0, 80) ?? typeof given}`;
	const message = given === undefined && issue.code === "invalid_type" ? "is required" : `${issue.message}${issue.code === "custom" ? "" : shown}`;
	return [{ path, message }];
}

function nearestNode(doc: ReturnType<typeof parseDocument>, path: readonly PropertyKey[]): { range?: [number, number, number] | null } | null {
	for (let depth = path.length; depth >= 0; depth--) {
		const node = depth === 0 ? doc.contents : doc.getIn(path.slice(0, depth), true);
		if (node && typeof node === "object" && "range" in node) return node as { range?: [number, number, number] | null };
	}
	return null;
}
