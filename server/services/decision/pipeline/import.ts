import type { z } from "zod";
import { importInput } from "#server/contract/inputs/job.ts";
import { type ImportedPipelines, importPipelines } from "#server/domain/imports/pipelines/import-pipelines.ts";
import type { Finding } from "#server/domain/imports/types.ts";
import { parsePipelineDocument } from "#server/domain/pipeline/pipeline-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { checkStepCondition } from "#server/policy/step-condition.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { importContextOf } from "#server/services/work/import/import-job.ts";

const input = importInput.omit({ kind: true });

/**
 * Reads Argo workflows or a compiled Kubeflow pipeline as pipelines. Nothing is written. Values that the pipeline file would reject become
 * questions too.
 * @throws SpillwayError `invalid_input` with the line that cannot be read; `forbidden`; `payload_too_large`
 */
export async function importWorkflows(ctx: ServiceContext, raw: z.input<typeof input>): Promise<ImportedPipelines & { questions: number }> {
	const { text, ...given } = input.parse(raw);
	const imported = importPipelines(text, await importContextOf(ctx, given));
	const findings = [...refusalsOf(imported), ...imported.findings];
	return { ...imported, findings, questions: findings.filter(({ kind }) => kind === "question").length };
}

function refusalsOf({ documents }: ImportedPipelines): Finding[] {
	const messages = new Set<string>();
	for (const document of documents) {
		try {
			parsePipelineDocument(document, { checkCondition: checkStepCondition });
		} catch (error) {
			if (!(error instanceof SpillwayError)) throw error;
			for (const { path, message } of error.fields) messages.add(path === "" ? message : `${path}: ${message}`);
		}
	}
	return [...messages].map((text) => ({ line: 1, kind: "question", subject: "The pipeline file does not take it", text }));
}
