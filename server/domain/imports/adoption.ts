import { SpillwayError } from "../../kernel/errors.ts";
import { formatDuration } from "../../kernel/units.ts";
import type { ForeignJob } from "../foreign-job.ts";
import type { JobSpec } from "../job.ts";
import { type JobFile, parseJobDocument } from "../job-file.ts";
import { importKubernetes } from "./kubernetes/import-kubernetes.ts";
import { type ImportRecord, importRecord } from "./record.ts";
import { importSbatch } from "./sbatch/import-sbatch.ts";
import type { ImportContext, Imported, ScriptKind } from "./types.ts";

/** Why an adoption ends without a run in the cloud, or goes back. */
export type AdoptionWhy =
	/** The cluster started it first. */
	| "home_started"
	/** It was over there, by somebody's hand. */
	| "home_over"
	/** Somebody there took the hold off it, or it began in spite of it. */
	| "home_took_back"
	/** Somebody there holds it. */
	| "home_holds"
	/** The cluster has room for it now. */
	| "home_frees"
	/** It was held, and no cloud placement succeeded. */
	| "not_launched"
	/** Our job ended without a run of its command: a person's cancel, or a place that failed. */
	| "job_ended";

/**
 * The Spillway job equivalent to a job of a cluster's own queue: its script translated, with the size and the longest time
 * that the cluster knows, which count where the command line said something else. What cannot be carried means that it is not
 * adopted; the sentences say why. Total.
 */
export function translateForeign(
	script: {
		kind: ScriptKind;
		text: string;
		called?: { name: string; args: string[] };
		checkpoints?: { path: string; interval?: string };
		obstacles: readonly string[];
	},
	facts: ForeignJob,
	context: ImportContext,
): { spec: JobSpec; imported: ImportRecord } | { why: string[] } {
	const why = [...script.obstacles];
	if (why.length > 0) return { why };
	try {
		const task = facts.array ? { arrayId: facts.array.id, number: Number(facts.array.task) } : undefined;
		const imported =
			script.kind === "sbatch"
				? importSbatch(script.text, context, { called: script.called, task })
				: importKubernetes(script.text, context);
		why.push(...questionsOf(imported));
		const [document, second] = imported.documents;
		if (document?.kind !== "Job" || second) why.push(`It is ${imported.documents.length} jobs in one, and one is adopted at a time.`);
		if (why.length > 0 || document?.kind !== "Job") return { why };
		const spec = parseJobDocument(withClusterSizes(withCheckpoints(document, script.checkpoints), facts, context.team));
		return { spec, imported: importRecord(script.kind, imported.findings, true) };
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return { why: [error.message, ...(error.fields ?? []).map((f) => f.message)] };
	}
}

function questionsOf({ findings }: Pick<Imported, "findings">): string[] {
	return findings.filter((f) => f.kind === "question").map((f) => `Line ${f.line}: ${f.subject}: ${f.text}`);
}

/** The folder is the same below the working folder in the cloud. */
function withCheckpoints(document: JobFile, named: { path: string; interval?: string } | undefined): JobFile {
	return named === undefined ? document : { ...document, spec: { ...document.spec, checkpoint: named } };
}

function withClusterSizes(document: JobFile, { nodes, gpus, timeLimitMs }: ForeignJob, team: string): JobFile {
	const { spec } = document;
	return {
		...document,
		metadata: { ...document.metadata, team },
		spec: {
			...spec,
			nodes: Math.max(1, nodes),
			resources: { ...spec.resources, gpus: Math.max(1, Math.ceil(gpus / Math.max(1, nodes))) },
			...(timeLimitMs === null ? {} : { duration: { ...spec.duration, max: formatDuration(timeLimitMs) } }),
		},
	};
}
