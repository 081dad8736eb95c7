import { type ImportRecord, importRecord } from "#server/domain/imports/record.ts";
import type { SweepFile } from "#server/domain/imports/types.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { type JobFile, parseJobDocument } from "#server/domain/job-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type ImportInput, importJob } from "./import-job.ts";

/**
 * The import record of jobs that their submitter declares as read from this script. The script is parsed here again, so that the record
 * contains actual findings rather than the client's claim. Nothing is written.
 * @throws SpillwayError as importJob.
 */
export async function recordImport(ctx: ServiceContext, script: ImportInput, specs: readonly JobSpec[]): Promise<ImportRecord> {
	const { kind, findings, documents } = await importJob(ctx, script);
	const read = new Set(documents.map(specText).filter((text) => text !== null));
	return importRecord(
		kind,
		findings,
		specs.every((spec) => read.has(textOf(spec))),
	);
}

function specText(document: JobFile | SweepFile): string | null {
	if (document.kind === "Sweep") return null;
	try {
		return textOf(parseJobDocument(document));
	} catch (error) {
		if (error instanceof SpillwayError) return null;
		throw error;
	}
}

/** Exclude the deadline, which a script may give relative to the time it is read. */
function textOf(spec: JobSpec): string {
	return JSON.stringify({ ...spec, deadlineMs: null });
}
