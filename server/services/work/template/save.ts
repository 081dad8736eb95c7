import { and, eq, isNull } from "drizzle-orm";
import type { z } from "zod";
import { saveTemplateInput } from "#server/contract/inputs/template.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { template, templateVersion } from "#server/db/schema/template.ts";
import { parseTemplateText } from "#server/domain/template/template-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { checkStepCondition } from "#server/policy/step-condition.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { lockLimit } from "#server/services/core/lock-limit.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { checkSubmission } from "../job/submit.ts";
import { readablePipeline } from "../pipeline/readable.ts";
import type { TemplateRow } from "./read.ts";

/** Maximum templates per team. */
const TEMPLATES_MAX = 200;

type SaveInput = z.output<typeof saveTemplateInput>;

export interface SavedTemplate {
	id: string;
	name: string;
	team: string;
	version: number;
}

/**
 * Saves a template for the team in its file, or the next version of the one with this name.
 * @throws SpillwayError `forbidden` for another team; `invalid_input` with line and column of each problem; `not_found` for a pipeline;
 * `conflict` when `baseVersion` is not the current version, and at the limit
 */
export async function saveTemplate(ctx: ServiceContext, raw: z.input<typeof saveTemplateInput>): Promise<SavedTemplate> {
	teamScope(ctx, "job:submit");
	const input = saveTemplateInput.parse(raw);
	const source = await readSource(ctx, input);
	const { kind, team, ...file } = parseTemplateText(source, checkStepCondition);
	authorize(ctx, "job:submit", team);
	await checkSubmission(ctx, [{ team }]);
	const { name = file.name, description } = input;
	const savedAt = new Date(ctx.clock.nowMs());
	return ctx.db.transaction(async (tx) => {
		await requireTeams(tx, [team], "team");
		const before = await readCurrent(tx, team, name);
		checkBase(before, name, input.baseVersion);
		const { id, version } = before ? await addVersion(tx, before) : await addTemplate(tx, { team, name, at: savedAt });
		const row = { templateId: id, version, kind, description, source, savedBy: actorName(ctx.actor), savedAt };
		await tx.insert(templateVersion).values(row);
		await writeAudit(tx, ctx, {
			...{ action: before ? "template.update" : "template.create", subject: id },
			...(before && { before: { version: before.version } }),
			after: { name, team, kind, version, description },
		});
		await notify(tx, { changes: [{ topic: "pipeline", id: null, team }] });
		return { id, name, team, version };
	});
}

async function readSource(ctx: ServiceContext, { text, document, pipelineId }: SaveInput): Promise<string> {
	if ([text, document, pipelineId].filter((given) => given !== undefined).length !== 1)
		throw new SpillwayError("invalid_input", "The body needs one of text, document and pipelineId.", { fix: "Send the file as text." });
	if (text !== undefined) return text;
	if (pipelineId === undefined) return JSON.stringify(document, null, 2);
	const { source } = await readablePipeline(ctx, ctx.db, pipelineId);
	if (source !== null) return source;
	throw new SpillwayError("conflict", `Pipeline ${pipelineId} was submitted before files were kept.`, { fix: "Save its file instead." });
}

/** Locked, so that the second of two changes to one version is rejected. */
async function readCurrent(tx: Tx, team: string, name: string): Promise<TemplateRow | undefined> {
	const [row] = await tx
		.select()
		.from(template)
		.where(and(eq(template.team, team), eq(template.name, name), isNull(template.deletedAt)))
		.for("update");
	return row;
}

function checkBase(current: TemplateRow | undefined, name: string, baseVersion: number | undefined): void {
	if (baseVersion === current?.version) return;
	if (!current)
		throw new SpillwayError("conflict", `There is no template "${name}" to change.`, { fix: "Leave out baseVersion to create it." });
	const problem = baseVersion === undefined ? "exists" : `was changed since version ${baseVersion}`;
	throw new SpillwayError("conflict", `Template "${name}" ${problem}; its current version is ${current.version}.`, {
		fix: `Review it, then save with baseVersion ${current.version}, or choose another name.`,
	});
}

async function addVersion(tx: Tx, { id, version }: TemplateRow): Promise<{ id: string; version: number }> {
	await tx
		.update(template)
		.set({ version: version + 1 })
		.where(eq(template.id, id));
	return { id, version: version + 1 };
}

async function addTemplate(tx: Tx, { team, name, at }: { team: string; name: string; at: Date }): Promise<{ id: string; version: number }> {
	await lockLimit(tx, `templates ${team}`);
	if ((await tx.$count(template, and(eq(template.team, team), isNull(template.deletedAt)))) >= TEMPLATES_MAX)
		throw new SpillwayError("conflict", `Team ${team} has ${TEMPLATES_MAX} templates.`, { fix: "Delete one first." });
	const id = newId("tmpl", at.getTime());
	const added = await tx.insert(template).values({ id, team, name, version: 1 }).onConflictDoNothing().returning({ id: template.id });
	if (added.length > 0) return { id, version: 1 };
	throw new SpillwayError("conflict", `Template "${name}" was created by another request.`, { fix: "Review it, then save a new version." });
}
