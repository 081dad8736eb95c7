import { SpillwayError } from "../../kernel/errors.ts";
import { formatDuration } from "../../kernel/units.ts";
import type { ForeignJob } from "../foreign-job.ts";
import type { JobSpec } from "../job.ts";
import { type JobFile, parseJobDocument } from "../job-file.ts";
import { importKubernetes } from "./kubernetes/import-kubernetes.ts";
import { type ImportRecord, importRecord } from "./record.ts";
import { importSbatch } from "./sbatch/import-sbatch.ts";
import type { ImportContext, Imported, ScriptKind } from "./types.ts";

/** Why an adoption ends without a cloud run, or is returned. */
export type AdoptionWhy =
	/** The cluster started it first. */
	| "home_started"
	/** A person ended it there. */
	| "home_over"
	/** A person released the hold there, or the job started despite it. */
	| "home_took_back"
	/** A person holds it there. */
	| "home_holds"
	/** The cluster now has capacity for it. */
	| "home_frees"
	/** It was held, and no cloud placement succeeded. */
	| "not_launched"
	/** Our job ended without running its command: cancelled, or its placement failed. */
	| "job_ended";

/**
 * The Spillway job equivalent to a job in a cluster's own queue: its translated script, with the cluster's size and
 * time limit where the command line overrode the script. If anything cannot be carried over, the job is not adopted;
 * the sentences explain why. Never throws.
 */
export function convertForeignJob(
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
		if (second) why.push(`The script defines ${imported.documents.length} jobs; only one can be adopted at a time.`);
		else if (document?.kind !== "Job") why.push("The script defines a job array, but the cluster reports no task of it.");
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

/** The path below the working folder is the same in the cloud. */
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
