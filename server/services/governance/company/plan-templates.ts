import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import type { CompanySpec } from "#server/domain/company-schema.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import { parseTemplateText } from "#server/domain/template/template-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { checkStepCondition } from "#server/policy/step-condition.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { readCurrentTemplates } from "#server/services/work/template/read.ts";
import { removeTemplate } from "#server/services/work/template/remove.ts";
import { saveTemplate } from "#server/services/work/template/save.ts";
import { type Change, type CompanyContext, differences, type PlanPart } from "./change.ts";

type Template = NonNullable<CompanySpec["templates"]>[number];
type Known = Awaited<ReturnType<typeof readCurrentTemplates>>[number];
interface Wanted {
	/** `<team>/<name>`. */
	id: string;
	team: string;
	name: string;
	description: string;
	document: Template["document"];
	/** The document as YAML. */
	text: string;
}

/** `teams`: names that exist once the file's teams are applied. @throws SpillwayError `forbidden` for tokens that may not read files */
export async function planTemplates(
	ctx: CompanyContext,
	written: readonly Template[],
	{ prune, teams }: { prune: boolean; teams: ReadonlySet<string> },
): Promise<PlanPart> {
	authorize(ctx, "job:submit", null);
	const current = await readCurrentTemplates(ctx.db);
	const known = new Map(current.map((template) => [idOf(template), template]));
	const wanted: Wanted[] = [];
	const problems: PlanPart["problems"] = [];
	for (const [index, template] of written.entries()) {
		const at = ["spec", "templates", index, "document"];
		const parsed = parseDocument(template);
		if (!("id" in parsed))
			problems.push(...parsed.map(({ path, message }) => ({ at: [...at, ...path.split(".").filter(Boolean)], message })));
		else if (!teams.has(parsed.team))
			problems.push({ at: [...at, "metadata", "team"], message: `There is no team "${parsed.team}". Add it under teams.` });
		else if (wanted.some(({ id }) => id === parsed.id))
			problems.push({ at: at.slice(0, -1), message: `Team ${parsed.team} has two templates "${parsed.name}". Give one another name.` });
		else wanted.push(parsed);
	}
	const ids = new Set(wanted.map(({ id }) => id));
	const removed = current.filter((template) => prune && !ids.has(idOf(template)));
	return {
		changes: [...wanted.flatMap((template) => planChange(template, known.get(template.id))), ...removed.map(planRemoval)],
		skipped: [],
		problems,
	};
}

const idOf = ({ team, name }: { team: string; name: string }) => `${team}/${name}`;

/** The template, or the problems of its document at their paths. */
function parseDocument({ document, description = "", ...given }: Template): Wanted | { path: string; message: string }[] {
	const text = stringify(document, { lineWidth: 0 });
	try {
		const file = parseTemplateText(text, checkStepCondition);
		const { team, name } = { ...file, name: given.name ?? file.name };
		return { id: idOf({ team, name }), team, name, description, document, text };
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		return error.fields.length > 0 ? [...error.fields] : [{ path: "", message: error.message }];
	}
}

/** Comments and key order in a stored file do not count as differences. */
function planChange({ id, name, description, document, text }: Wanted, before: Known | undefined): Change[] {
	const isSame = before !== undefined && isDeepStrictEqual(readYaml(before.source).doc?.toJS({ maxAliasCount: 50 }), document);
	const fields = [
		...differences(before ? { description: before.description } : null, { description: description || (before ? "" : null) }),
		...(isSame ? [] : [{ field: "document", before: before?.source ?? null, after: text }]),
	];
	if (fields.length === 0) return [];
	const save = { name, description, text: isSame ? before.source : text, ...(before && { baseVersion: before.version }) };
	return [{ ...{ kind: "template", id, action: before ? "update" : "create", fields }, apply: (at) => saveTemplate(at, save) }];
}

function planRemoval({ id, ...template }: Known): Change {
	return { ...{ kind: "template", id: idOf(template), action: "remove", fields: [] }, apply: (at) => removeTemplate(at, id) };
}
