import type { z } from "zod";
import { runTemplateInput } from "#server/contract/inputs/template.ts";
import { parseJobText } from "#server/domain/job-file.ts";
import type { Scalar } from "#server/domain/pipeline/pipeline.ts";
import type { TemplateKind } from "#server/domain/template/template-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import { submitJob } from "#server/services/work/job/submit-one.ts";
import type { TemplateVersion } from "#server/services/work/pipeline/insert.ts";
import { findTemplate, readVersion } from "#server/services/work/template/read.ts";
import { recordJobTemplate } from "#server/services/work/template-origin.ts";
import { type PipelineQuoteView, type QuoteContext, quotePipeline } from "../pipeline/quote.ts";
import { submitPipeline } from "../pipeline/submit.ts";
import { askQuote, type QuoteView } from "../quote/ask.ts";

type RunInput = z.input<typeof runTemplateInput>;

export interface TemplateQuote {
	version: number;
	/** For a job. */
	job: QuoteView | null;
	/** For a pipeline or sweep. */
	pipeline: PipelineQuoteView | null;
}

/** The job, pipeline or sweep that a template started. */
export interface TemplateRun {
	/** Id of the job, pipeline or sweep. */
	id: string;
	kind: TemplateKind;
	name: string;
	version: number;
}

/**
 * Quotes the template's file with these parameters. Nothing is written.
 * @throws SpillwayError `forbidden`; `not_found`; `conflict` for a version that is not the current one; `invalid_input` for parameters
 */
export async function quoteTemplate(ctx: QuoteContext, raw: RunInput): Promise<TemplateQuote> {
	const { kind, source, version, parameters } = await readAsked(ctx, "quote:ask", raw);
	if (kind === "Job") return { version, job: await askQuote(ctx, parseJobText(source)), pipeline: null };
	return { version, job: null, pipeline: await quotePipeline(ctx, { text: source, parameters }) };
}

/**
 * Submits the template's file with these parameters, in the same way as the file itself.
 * @throws SpillwayError as quoteTemplate, and as submitPipeline and submitJob
 */
export async function runTemplate(ctx: QuoteContext, raw: RunInput): Promise<TemplateRun> {
	const { id: templateId, kind, source, version, parameters } = await readAsked(ctx, "job:submit", raw);
	return ctx.db.transaction(async (tx) => {
		const inner = { ...ctx, db: tx };
		const { id, name } =
			kind === "Job"
				? await runJob(inner, source, { id: templateId, version })
				: await submitPipeline(inner, { text: source, parameters }, { id: templateId, version });
		await writeAudit(tx, ctx, { action: "template.run", subject: templateId, after: { version, started: id, parameters } });
		return { id, kind, name, version };
	});
}

async function runJob(ctx: QuoteContext, source: string, template: TemplateVersion): Promise<{ id: string; name: string }> {
	const spec = parseJobText(source);
	const id = await submitJob(ctx, spec);
	await recordJobTemplate(ctx.db, id, template);
	return { id, name: spec.name };
}

interface Asked {
	id: string;
	kind: TemplateKind;
	source: string;
	version: number;
	parameters: Record<string, Scalar>;
}

async function readAsked(ctx: QuoteContext, permission: "quote:ask" | "job:submit", raw: RunInput): Promise<Asked> {
	teamScope(ctx, permission);
	const { id, version, parameters } = runTemplateInput.parse(raw);
	const head = await findTemplate(ctx, ctx.db, id, permission);
	if (version !== undefined && version !== head.version)
		throw new SpillwayError("conflict", `Version ${version} of template ${head.name} is not the current one, which is ${head.version}.`, {
			fix: "Review the current version, then run it.",
		});
	const { kind, source } = await readVersion(ctx.db, head, head.version);
	if (kind === "Job") rejectParameters(parameters);
	return { id, kind, source, version: head.version, parameters };
}

/** @throws SpillwayError `invalid_input` */
function rejectParameters(parameters: Readonly<Record<string, unknown>>): void {
	const names = Object.keys(parameters);
	if (names.length === 0) return;
	throw new SpillwayError("invalid_input", "A job has no parameters.", {
		fields: names.map((name) => ({ path: `parameters.${name}`, message: "is not a parameter of this template" })),
		fix: "Run the template without parameters, or make it a pipeline with one step.",
	});
}
