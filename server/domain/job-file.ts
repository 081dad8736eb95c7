import type { z } from "zod";
import type { CheckpointSpec, JobSpec } from "./job.ts";
import { changedEnvValues, invalidDocument, JOB_KIND } from "./job-file-problems.ts";
import { jobDocumentSchema } from "./job-schema.ts";
import type { SecretRef } from "./job-secret.ts";
import { readDocumentText } from "./read-document-text.ts";
import type { Scaling } from "./scaling.ts";
import { locateProblems, type PathProblem, problemsOf, protoKeys, withFix } from "./schema/problems.ts";
import { mountPathOf } from "./site-mount.ts";

/** The document read as a job, with defaults applied. */
export const jobFileSchema = jobDocumentSchema.transform((file, ctx): JobSpec => {
	const { estimate = null, max = null } = file.spec.duration;
	if (estimate !== null && max !== null && estimate > max)
		ctx.addIssue({ code: "custom", path: ["spec", "duration", "estimate"], message: "must not be longer than max" });
	for (const [index, { env }] of file.spec.secrets.entries())
		if (env !== undefined && env in file.spec.env)
			ctx.addIssue({ code: "custom", path: ["spec", "secrets", index, "env"], message: `${env} is in env too. Remove one of them` });
	for (const [index, { mount }] of file.spec.data.entries())
		for (const name of file.spec.mounts)
			if (`${mount}/`.startsWith(`${mountPathOf(name)}/`))
				ctx.addIssue({ code: "custom", path: ["spec", "data", index, "mount"], message: `is in the mount ${name}. Use another path` });
	return jobSpecOf(file);
});

/** Converts a checked document to a job, with defaults applied. */
export function jobSpecOf({ metadata, spec }: Pick<z.output<typeof jobDocumentSchema>, "metadata" | "spec">): JobSpec {
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
		...(spec.secrets.length > 0 && { secrets: spec.secrets.map(secretRefOf) }),
		nodes: spec.nodes,
		...(spec.interconnect === "high" && { interconnect: "high" as const }),
		resources: {
			gpus: resources.gpus,
			accelerators: resources.accelerators,
			cpus: resources.cpus ?? null,
			memoryGiB: resources.memoryGiB ?? null,
			...(resources.gpuMemoryGiB !== undefined && { gpuMemoryGiB: resources.gpuMemoryGiB }),
			...(resources.bf16 === true && { bf16: true }),
		},
		...(spec.throughput && { throughput: spec.throughput }),
		...(spec.scaling && { scaling: scalingOf(spec.scaling) }),
		duration: { estimateMs: spec.duration.estimate ?? null, maxMs: spec.duration.max ?? null },
		deadlineMs: spec.deadline ?? null,
		priority: spec.priority,
		critical: spec.critical,
		...(spec.approvalAboveUsd !== undefined && { approvalAboveUsd: spec.approvalAboveUsd }),
		...(spec.notify && { notify: spec.notify }),
		checkpoint: checkpoint ? checkpointOf(checkpoint) : null,
		...(spec.metrics.length > 0 && { metrics: spec.metrics }),
		...(spec.outputs.length > 0 && { outputs: spec.outputs.map(({ keep, ...output }) => ({ ...output, keepMs: keep ?? null })) }),
		...(spec.mounts.length > 0 && { mounts: spec.mounts }),
		data: spec.data.map((set) => ({ uri: set.uri, sizeGiB: set.sizeGiB ?? null, mount: set.mount, residency: set.residency })),
	};
}

type ScalingInput = NonNullable<z.output<typeof jobDocumentSchema>["spec"]["scaling"]>;

function scalingOf({ parallel, curve, upTo }: ScalingInput): Scaling {
	const points = curve?.toSorted((a, b) => a.gpus - b.gpus);
	return {
		...(parallel !== undefined && { parallel }),
		...(points && { curve: points }),
		upTo: upTo ?? points?.at(-1)?.gpus ?? 1,
	};
}

function secretRefOf({ name, env, file }: { name: string; env?: string | undefined; file?: string | undefined }): SecretRef {
	return env === undefined ? { name, file: file ?? "" } : { name, env };
}

function checkpointOf({
	interval,
	keep,
	ranks,
	restore,
	path,
}: NonNullable<z.output<typeof jobDocumentSchema>["spec"]["checkpoint"]>): CheckpointSpec {
	const special = { ...(ranks !== "first" && { ranks }), ...(restore !== "all" && { restore }) };
	return { path, intervalMs: interval, ...(keep !== undefined && { keep }), ...special };
}

/** The document before validation: the body of `POST /jobs`. */
export type JobFile = z.input<typeof jobFileSchema>;

function check(document: unknown): { spec: JobSpec; problems: [] } | { spec: null; problems: PathProblem[] } {
	const dropped = protoKeys(document);
	const result = jobFileSchema.safeParse(document);
	if (result.success && dropped.length === 0) return { spec: result.data, problems: [] };
	return { spec: null, problems: [...problemsOf(result.error, document, jobDocumentSchema), ...dropped] };
}

/**
 * Validates a parsed document.
 * @throws SpillwayError `invalid_input` with every invalid field, its value and what is allowed
 */
export function parseJobDocument(document: unknown): JobSpec {
	const { spec, problems } = check(document);
	if (spec) return spec;
	throw invalidDocument(
		JOB_KIND,
		problems.map((problem) => ({ ...problem, message: withFix(problem) })),
	);
}

/**
 * Parses job YAML (JSON is YAML too).
 * @throws SpillwayError `invalid_input` with line and column of each problem; `payload_too_large`.
 */
export function parseJobText(source: string): JobSpec {
	const { doc, lines, plain } = readDocumentText(source, JOB_KIND);
	const { spec, problems } = check(plain);
	const changed = changedEnvValues(doc);
	if (spec && changed.length === 0) return spec;
	throw invalidDocument(JOB_KIND, locateProblems([...problems, ...changed], doc, lines));
}
