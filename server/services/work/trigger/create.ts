import { randomBytes } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { createTriggerInput } from "#server/contract/inputs/trigger.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { site } from "#server/db/schema/site.ts";
import { trigger, triggerObject } from "#server/db/schema/trigger.ts";
import { nextCronTime, parseCron } from "#server/domain/trigger/cron.ts";
import { type TriggerSource, type TriggerSpec, watchesSame } from "#server/domain/trigger/trigger.ts";
import { parseTriggerDocument, parseTriggerText } from "#server/domain/trigger/trigger-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { iso } from "#server/services/core/view.ts";
import { sealSecret } from "#server/services/notification/channel/secret-box.ts";
import { checkSubmission } from "#server/services/work/job/submit.ts";
import { rejectLimitedToken } from "#server/services/work/job/token-limit.ts";
import { exampleFiring, pipelineOfFiring } from "./prepare.ts";
import { triggerKey } from "./read.ts";

export interface CreatedTrigger {
	id: string;
	name: string;
	/** Next time of a schedule. */
	nextAt: string | null;
	/** New key for signing events, shown once; null for other kinds, and when the present key stays. */
	secret: string | null;
}

/**
 * Saves a trigger, or changes the one with the same name and team: it keeps its id, its firings and whether it is enabled, and as long as it
 * watches the same schedule, location, events or pipeline also what it has used and its key.
 * @param key signs the events of a webhook; null: the present one, or a new one
 * @throws SpillwayError `forbidden`; `invalid_input` with line and column of each problem
 */
export async function createTrigger(
	ctx: ServiceContext & { secret: string },
	raw: z.input<typeof createTriggerInput>,
	key: string | null = null,
): Promise<CreatedTrigger> {
	teamScope(ctx, "job:submit");
	const { text, document } = "apiVersion" in raw ? { text: undefined, document: raw as unknown } : createTriggerInput.parse(raw);
	if ((text === undefined) === (document === undefined))
		throw new SpillwayError("invalid_input", "The body needs either text or document.", { fix: "Send the trigger file as text." });
	const spec = text === undefined ? parseTriggerDocument(document) : parseTriggerText(text);
	authorize(ctx, "job:submit", spec.team);
	rejectLimitedToken(ctx.actor);
	await checkSubmission(ctx, [spec]);
	await assertListable(ctx, spec.source);
	pipelineOfFiring(spec, exampleFiring(spec));
	const nextAtMs = firstTime(spec.source, ctx.clock.nowMs());
	return ctx.db.transaction(async (tx) => {
		await requireTeams(tx, [spec.team], "team");
		// If two were saved concurrently, both would stay and fire.
		await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`trigger:${spec.team}/${spec.name}`}, 0))`);
		const saved = await save(tx, ctx, { spec, nextAtMs, key });
		await notify(tx, { changes: [{ topic: "pipeline", id: null, team: spec.team }] });
		return saved;
	});
}

interface Saving {
	spec: TriggerSpec;
	nextAtMs: number | null;
	key: string | null;
}

async function save(tx: Tx, ctx: ServiceContext & { secret: string }, { spec, nextAtMs, key }: Saving): Promise<CreatedTrigger> {
	const { name, team, source } = spec;
	const now = new Date(ctx.clock.nowMs());
	const [before] = await tx
		.select()
		.from(trigger)
		.where(and(eq(trigger.team, team), eq(trigger.name, name), isNull(trigger.deletedAt)))
		.for("update");
	const id = before?.id ?? newId("trig", now.getTime());
	const enabled = before?.enabled ?? true;
	const isKept = before !== undefined && watchesSame(before.spec.source, source);
	const keepsKey = isKept && key === null && triggerKey(ctx.secret, before) !== null;
	const secret = source.kind !== "webhook" || keepsKey ? null : (key ?? randomBytes(32).toString("base64url"));
	const nextAt = (isKept ? before.nextAt : null) ?? (nextAtMs === null ? null : new Date(nextAtMs));
	const row = {
		...{ spec, createdBy: actorName(ctx.actor), nextAt, nextCheckAt: enabled && source.kind !== "webhook" ? now : null },
		...(!keepsKey && { sealedSecret: secret === null ? null : sealSecret(ctx.secret, id, secret) }),
		...(!isKept && { createdAt: now, checkedAt: null, status: null, failed: false }),
	};
	await tx
		.insert(trigger)
		.values({ id, name, team, ...row, createdAt: now })
		.onConflictDoUpdate({ target: trigger.id, set: row });
	if (!isKept) await tx.delete(triggerObject).where(eq(triggerObject.triggerId, id));
	await writeAudit(tx, ctx, {
		...{ action: before ? "trigger.update" : "trigger.create", subject: id },
		...(before && { before: { name, team, kind: before.spec.source.kind } }),
		after: { name, team, kind: source.kind },
	});
	return { id, name, nextAt: enabled ? iso(nextAt) : null, secret };
}

/** Jobs of a local site can read the scheduler host's folders anyway; without a local site they must not be listed. */
async function assertListable({ db }: ServiceContext, source: TriggerSource): Promise<void> {
	if (source.kind !== "data" || !source.uri.startsWith("file:")) return;
	const local = await db.$count(site, and(eq(site.provider, "local"), eq(site.enabled, true)));
	if (local === 0)
		throw new SpillwayError("invalid_input", "file: needs a local site, and there is none.", {
			fix: "Name a store, for example s3://bucket/path.",
		});
}

/** @throws SpillwayError `invalid_input` for a schedule that never fires */
function firstTime(source: TriggerSource, nowMs: number): number | null {
	if (source.kind !== "cron") return null;
	const schedule = parseCron(source.schedule);
	const nextMs = typeof schedule === "string" ? null : nextCronTime(schedule, source.zone, nowMs);
	if (nextMs === null)
		throw new SpillwayError("invalid_input", `The schedule ${source.schedule} never occurs.`, {
			fix: "Correct it, for example: 0 6 * * 1 (Mondays at 06:00).",
		});
	return nextMs;
}
