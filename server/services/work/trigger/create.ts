import { randomBytes } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { createTriggerInput } from "#server/contract/inputs/trigger.ts";
import { notify } from "#server/db/notify.ts";
import { site } from "#server/db/schema/site.ts";
import { trigger } from "#server/db/schema/trigger.ts";
import { nextCronTime, parseCron } from "#server/domain/trigger/cron.ts";
import type { TriggerSource } from "#server/domain/trigger/trigger.ts";
import { parseTriggerDocument, parseTriggerText } from "#server/domain/trigger/trigger-file.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize, teamScope } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { requireTeams } from "#server/services/core/teams.ts";
import { sealSecret } from "#server/services/notification/channel/secret-box.ts";
import { checkSubmission } from "#server/services/work/job/submit.ts";
import { rejectLimitedToken } from "#server/services/work/job/token-limit.ts";
import { exampleFiring, pipelineOfFiring } from "./prepare.ts";

export interface CreatedTrigger {
	id: string;
	name: string;
	/** Next time of a schedule. */
	nextAt: string | null;
	/** Key for signing events, shown once; null for other kinds. */
	secret: string | null;
}

/**
 * Saves a trigger, replacing one with the same name and team; its firings stay with it.
 * @param key signs the events of a webhook; null: a new one is made
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
	const nowMs = ctx.clock.nowMs();
	const id = newId("trig", nowMs);
	const secret = spec.source.kind === "webhook" ? (key ?? randomBytes(32).toString("base64url")) : null;
	const nextAtMs = firstTime(spec.source, nowMs);
	await ctx.db.transaction(async (tx) => {
		await requireTeams(tx, [spec.team], "team");
		// If two were saved concurrently, both would stay and fire.
		await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`trigger:${spec.team}/${spec.name}`}, 0))`);
		await tx
			.update(trigger)
			.set({ deletedAt: new Date(nowMs), nextCheckAt: null })
			.where(and(eq(trigger.team, spec.team), eq(trigger.name, spec.name), isNull(trigger.deletedAt)));
		await tx.insert(trigger).values({
			...{ id, name: spec.name, team: spec.team, spec, createdBy: actorName(ctx.actor), createdAt: new Date(nowMs) },
			sealedSecret: secret === null ? null : sealSecret(ctx.secret, id, secret),
			nextCheckAt: spec.source.kind === "webhook" ? null : new Date(nextAtMs ?? nowMs),
			nextAt: nextAtMs === null ? null : new Date(nextAtMs),
		});
		await writeAudit(tx, ctx, {
			action: "trigger.create",
			subject: id,
			after: { name: spec.name, team: spec.team, kind: spec.source.kind },
		});
		await notify(tx, { changes: [{ topic: "pipeline", id: null, team: spec.team }] });
	});
	return { id, name: spec.name, nextAt: nextAtMs === null ? null : new Date(nextAtMs).toISOString(), secret };
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
	if (nextMs === null) throw new SpillwayError("invalid_input", `The schedule ${source.schedule} never comes.`, { fix: "Correct it." });
	return nextMs;
}
