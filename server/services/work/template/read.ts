import { and, asc, desc, eq, inArray, isNull } from "drizzle-orm";
import type { z } from "zod";
import { getTemplateInput, listTemplatesInput } from "#server/contract/inputs/template.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { template, templateVersion } from "#server/db/schema/template.ts";
import { parseTemplateText, type TemplateKind, type TemplateParameter } from "#server/domain/template/template-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { checkStepCondition } from "#server/policy/step-condition.ts";
import { allows, authorizeFound, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/** A template in lists. Times are ISO 8601 in UTC. */
export interface TemplateView {
	id: string;
	name: string;
	team: string;
	kind: TemplateKind;
	description: string;
	version: number;
	/** Name of the person. */
	savedBy: string;
	savedAt: string;
}

export interface TemplateDetail extends TemplateView {
	currentVersion: number;
	parameters: TemplateParameter[];
	/** Null for callers without job:submit for the team, since it contains environment values. */
	source: string | null;
	/** Newest first, at most 50. */
	versions: Pick<TemplateView, "version" | "description" | "savedBy" | "savedAt">[];
}

const VERSIONS_SHOWN = 50;

export type TemplateRow = typeof template.$inferSelect;
type VersionRow = typeof templateVersion.$inferSelect;

/** Templates by name, from the teams with jobs that the caller may read. Cost: one query. */
export async function listTemplates(ctx: ServiceContext, raw: z.input<typeof listTemplatesInput>): Promise<TemplateView[]> {
	const scope = teamScope(ctx, "job:read");
	const input = listTemplatesInput.parse(raw);
	const rows = await ctx.db
		.select({ head: template, saved: templateVersion })
		.from(template)
		.innerJoin(templateVersion, and(eq(templateVersion.templateId, template.id), eq(templateVersion.version, template.version)))
		.where(
			and(
				isNull(template.deletedAt),
				scope === null ? undefined : inArray(template.team, [...scope, ""]),
				input.team ? eq(template.team, input.team) : undefined,
			),
		)
		.orderBy(asc(template.name), asc(template.team));
	const names = await readNames(
		ctx.db,
		rows.map(({ saved }) => saved.savedBy),
	);
	return rows.map(({ head, saved }) => viewOf(head, saved, names));
}

/**
 * One version of a template, with its parameters.
 * @throws SpillwayError `forbidden`; `not_found`, also for another team's template
 */
export async function getTemplate(ctx: ServiceContext, raw: z.input<typeof getTemplateInput>): Promise<TemplateDetail> {
	teamScope(ctx, "job:read");
	const { id, version } = getTemplateInput.parse(raw);
	const head = await findTemplate(ctx, ctx.db, id, "job:read");
	const [saved, rows] = await Promise.all([
		readVersion(ctx.db, head, version ?? head.version),
		ctx.db
			.select()
			.from(templateVersion)
			.where(eq(templateVersion.templateId, id))
			.orderBy(desc(templateVersion.version))
			.limit(VERSIONS_SHOWN),
	]);
	const names = await readNames(
		ctx.db,
		[saved, ...rows].map(({ savedBy }) => savedBy),
	);
	return {
		...viewOf(head, saved, names),
		...{ currentVersion: head.version, parameters: parseTemplateText(saved.source, checkStepCondition).parameters },
		source: allows(ctx, "job:submit", head.team) ? saved.source : null,
		versions: rows.map((row) => {
			const { description, savedBy, savedAt } = viewOf(head, row, names);
			return { version: row.version, description, savedBy, savedAt };
		}),
	};
}

function viewOf(head: TemplateRow, saved: VersionRow, names: ReadonlyMap<string, string>): TemplateView {
	return {
		...{ id: head.id, name: head.name, team: head.team, kind: saved.kind, description: saved.description, version: saved.version },
		...{ savedBy: names.get(saved.savedBy) ?? saved.savedBy, savedAt: saved.savedAt.toISOString() },
	};
}

/** The current version of each template, in the order of teams and names. For callers that may read all teams' files. */
export async function readCurrentTemplates(db: DbOrTx) {
	return db
		.select({
			...{ id: template.id, team: template.team, name: template.name, version: template.version },
			...{ description: templateVersion.description, source: templateVersion.source },
		})
		.from(template)
		.innerJoin(templateVersion, and(eq(templateVersion.templateId, template.id), eq(templateVersion.version, template.version)))
		.where(isNull(template.deletedAt))
		.orderBy(asc(template.team), asc(template.name));
}

/** Names of people, by the ids used in rows. */
async function readNames(db: DbOrTx, actors: readonly string[]): Promise<Map<string, string>> {
	const ids = [...new Set(actors)].filter((actor) => actor.startsWith(ACCOUNT)).map((actor) => actor.slice(ACCOUNT.length));
	if (ids.length === 0) return new Map();
	const rows = await db.select({ id: account.id, name: account.name }).from(account).where(inArray(account.id, ids));
	return new Map(rows.map(({ id, name }) => [`${ACCOUNT}${id}`, name]));
}

const ACCOUNT = "account:";

/** @throws SpillwayError `forbidden` for a role without the permission; `not_found`, also for another team's template */
export async function findTemplate(
	ctx: Pick<ServiceContext, "actor">,
	db: DbOrTx,
	id: string,
	permission: "job:read" | "job:submit" | "quote:ask",
): Promise<TemplateRow> {
	const [row] = await db
		.select()
		.from(template)
		.where(and(eq(template.id, id), isNull(template.deletedAt)));
	authorizeFound(ctx, permission, row, () => noTemplate(id));
	if (!row) throw noTemplate(id);
	return row;
}

/** @throws SpillwayError `not_found` */
export async function readVersion(db: DbOrTx, { id, name, version: current }: TemplateRow, version: number): Promise<VersionRow> {
	const [row] = await db
		.select()
		.from(templateVersion)
		.where(and(eq(templateVersion.templateId, id), eq(templateVersion.version, version)));
	if (row) return row;
	throw new SpillwayError("not_found", `Template ${name} has no version ${version}.`, { fix: `Its current version is ${current}.` });
}

function noTemplate(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no template ${id}.`, { fix: "List templates with: spillway templates ls" });
}
