import { and, eq } from "drizzle-orm";
import type { z } from "zod";
import { importInput } from "#server/contract/inputs/job.ts";
import { account } from "#server/db/schema/account.ts";
import { importKubernetes } from "#server/domain/imports/kubernetes/import-kubernetes.ts";
import { importSbatch } from "#server/domain/imports/sbatch/import-sbatch.ts";
import type { Finding, ImportContext, ScriptKind, SweepFile } from "#server/domain/imports/types.ts";
import { type JobFile, parseJobDocument } from "#server/domain/job-file.ts";
import { parsePipelineDocument } from "#server/domain/pipeline/pipeline-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { listTeams } from "#server/services/core/teams.ts";

export type ImportInput = z.input<typeof importInput>;

export interface ImportView {
	kind: ScriptKind;
	/** Jobs that can be submitted as they are or opened in the form. An array of jobs is one sweep, which is submitted as a pipeline. */
	documents: (JobFile | SweepFile)[];
	findings: Finding[];
	/** Number of findings that a person must answer before the job matches the text. */
	questions: number;
}

/**
 * Reads a batch script or a manifest as jobs, without writing anything. Values that the job file would reject (more nodes than a job may
 * have) also become questions.
 * @throws SpillwayError `invalid_input` when the text contains nothing to read, `forbidden`, `payload_too_large`.
 */
export async function importJob(ctx: ServiceContext, raw: ImportInput): Promise<ImportView> {
	const input = importInput.parse(raw);
	const context = await importContextOf(ctx, input);
	const kind = input.kind === "auto" ? kindOf(input.text) : input.kind;
	const imported = kind === "sbatch" ? importSbatch(input.text, context) : importKubernetes(input.text, context);
	const findings = [...refusals(imported), ...imported.findings];
	return { kind, documents: imported.documents, findings, questions: findings.filter((f) => f.kind === "question").length };
}

/**
 * Context for an importer: the caller's teams, and the model names that words refer to.
 * @throws SpillwayError `forbidden` for another team than the caller's, and for callers without one
 */
export async function importContextOf(
	ctx: ServiceContext,
	input: { team?: string | undefined; zoneOffsetMinutes: number },
): Promise<ImportContext> {
	authorize(ctx, "job:submit", input.team ?? null);
	const teams = await listTeams(ctx);
	const team = input.team ?? teams[0];
	if (team === undefined)
		throw new SpillwayError("forbidden", "You are not in a team, so you cannot own jobs.", {
			fix: "Ask a platform engineer to add you to one.",
		});
	const email = await ownAddress(ctx);
	return { team, teams, acceleratorsNamed, email, zoneOffsetMinutes: input.zoneOffsetMinutes, nowMs: ctx.clock.nowMs() };
}

async function ownAddress({ actor, db }: ServiceContext): Promise<string | null> {
	if (actor.kind !== "person") return null;
	const [row] = await db
		.select({ email: account.email })
		.from(account)
		.where(and(eq(account.id, actor.accountId), eq(account.service, false)));
	return row?.email ?? null;
}

/** A manifest names its kind on its own line; anything else is read as a script. */
function kindOf(text: string): ScriptKind {
	if (/^\uFEFF?#!|^#SBATCH\b/m.test(text)) return "sbatch";
	return /^(apiVersion|kind)\s*:/m.test(text) || /^\s*\{/.test(text) ? "kubernetes" : "sbatch";
}

function refusals({ documents }: Pick<ImportView, "documents">): Finding[] {
	const messages = new Set<string>();
	for (const document of documents) {
		try {
			if (document.kind === "Sweep") parsePipelineDocument(document, { checkCondition: () => [] });
			else parseJobDocument(document);
		} catch (error) {
			if (!(error instanceof SpillwayError)) throw error;
			for (const field of error.fields) messages.add(field.path === "" ? field.message : `${field.path}: ${field.message}`);
		}
	}
	return [...messages].map((text) => ({ line: 1, kind: "question", subject: "The job file does not take it", text }));
}
