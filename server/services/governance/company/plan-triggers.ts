import type { CompanySpec } from "#server/domain/company-schema.ts";
import type { TriggerSpec } from "#server/domain/trigger/trigger.ts";
import { parseTriggerDocument } from "#server/domain/trigger/trigger-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import { createTrigger } from "#server/services/work/trigger/create.ts";
import { deleteTrigger, setTriggerEnabled } from "#server/services/work/trigger/manage.ts";
import { exampleFiring, pipelineOfFiring } from "#server/services/work/trigger/prepare.ts";
import { readCurrentTriggers, type TriggerRow, triggerKey } from "#server/services/work/trigger/read.ts";
import { type Change, type CompanyContext, differences, type PlanPart, SECRET } from "./change.ts";
import type { Secrets } from "./secrets.ts";

type Trigger = NonNullable<CompanySpec["triggers"]>[number];
interface Problem {
	at: PropertyKey[];
	message: string;
}

/** Shortest signing key: 32 random characters are enough for HMAC-SHA256. */
const KEY_CHARACTERS = 32;

/** `teams`: names that exist once the file's teams are applied. */
export async function planTriggers(
	ctx: CompanyContext,
	written: readonly Trigger[],
	{ prune, secrets, teams }: { prune: boolean; secrets: Secrets; teams: ReadonlySet<string> },
): Promise<PlanPart> {
	authorize(ctx, "job:submit", null);
	const current = await readCurrentTriggers(ctx.db);
	const known = new Map(current.map((row) => [idOf(row), row]));
	const ids = new Set<string>();
	const changes: Change[] = [];
	const problems: PlanPart["problems"] = [];
	for (const [index, given] of written.entries()) {
		const at = ["spec", "triggers", index];
		const key = given.key === undefined ? null : (secrets[given.key] ?? "");
		const parsed = readTrigger(given, key);
		const own = "spec" in parsed ? nameProblems(parsed.spec, { teams, ids }) : parsed;
		problems.push(...own.map((problem) => ({ ...problem, at: [...at, ...problem.at] })));
		if (!("spec" in parsed) || own.length > 0) continue;
		ids.add(idOf(parsed.spec));
		changes.push(...planChange(ctx, { ...parsed, key, enabled: given.enabled, document: given.document }, known.get(idOf(parsed.spec))));
	}
	const removed = current.filter((row) => prune && !ids.has(idOf(row)));
	return { changes: [...changes, ...removed.map(planRemoval)], skipped: [], problems };
}

const idOf = ({ team, name }: { team: string; name: string }) => `${team}/${name}`;

/** The trigger, or the problems of its entry at their paths. */
function readTrigger({ document }: Trigger, key: string | null): { spec: TriggerSpec } | Problem[] {
	const at = ["document"];
	const parsed = attempt(() => parseTriggerDocument(document), at);
	if ("problems" in parsed) return parsed.problems;
	const spec = parsed.value;
	const pipeline = attempt(() => pipelineOfFiring(spec, exampleFiring(spec)), [...at, "spec", "pipeline"]);
	if ("problems" in pipeline) return pipeline.problems;
	if (spec.source.kind !== "webhook") return key === null ? { spec } : [{ at: ["key"], message: "Only triggers with webhook have a key." }];
	if (key === null) return [{ at, message: "A trigger with webhook needs a key: the secret that signs its events." }];
	if (key.length < KEY_CHARACTERS) return [{ at: ["key"], message: `The key must have at least ${KEY_CHARACTERS} characters.` }];
	return { spec };
}

function attempt<T>(parse: () => T, at: readonly PropertyKey[]): { value: T } | { problems: Problem[] } {
	try {
		return { value: parse() };
	} catch (error) {
		if (!(error instanceof SpillwayError)) throw error;
		if (error.fields.length === 0) return { problems: [{ at: [...at], message: error.message }] };
		return { problems: error.fields.map(({ path, message }) => ({ at: [...at, ...path.split(".").filter(Boolean)], message })) };
	}
}

function nameProblems(spec: TriggerSpec, { teams, ids }: { teams: ReadonlySet<string>; ids: ReadonlySet<string> }): Problem[] {
	const at = ["document", "metadata"];
	if (!teams.has(spec.team)) return [{ at: [...at, "team"], message: `There is no team "${spec.team}". Add it under teams.` }];
	if (!ids.has(idOf(spec))) return [];
	return [{ at: [...at, "name"], message: `Team ${spec.team} has two triggers "${spec.name}". Give one another name.` }];
}

interface Wanted {
	spec: TriggerSpec;
	key: string | null;
	/** Absent: as it is; a new one is enabled. */
	enabled: boolean | undefined;
	document: Trigger["document"];
}

function planChange(ctx: CompanyContext, { spec, key, enabled, document }: Wanted, before: TriggerRow | undefined): Change[] {
	const { source, parameters, pipeline } = spec;
	const content = differences(before ? fieldsOf(before.spec) : null, { source, parameters, pipeline });
	const hasKeyChanged = before ? triggerKey(ctx.secret, before) !== key : key !== null;
	const secret = hasKeyChanged ? [{ field: "key", before: before ? SECRET : null, after: before ? `${SECRET}, changed` : SECRET }] : [];
	const isEnabled = enabled ?? before?.enabled ?? true;
	const state = differences({ enabled: before?.enabled ?? true }, { enabled: isEnabled });
	const fields = [...content, ...secret, ...state];
	if (fields.length === 0) return [];
	const isSaved = content.length + secret.length > 0 || !before;
	const apply = async (at: CompanyContext): Promise<void> => {
		const id = isSaved ? (await createTrigger(at, { document }, key)).id : before.id;
		if (state.length > 0) await setTriggerEnabled(at, id, { enabled: isEnabled });
	};
	return [{ kind: "trigger", id: idOf(spec), action: before ? "update" : "create", fields, apply }];
}

function fieldsOf({ source, parameters, pipeline }: TriggerSpec): Record<string, unknown> {
	return { source, parameters, pipeline };
}

function planRemoval(row: TriggerRow): Change {
	return { ...{ kind: "trigger", id: idOf(row), action: "remove", fields: [] }, apply: (at) => deleteTrigger(at, row.id) };
}
