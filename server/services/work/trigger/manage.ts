import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { enableTriggerInput, listTriggersInput } from "#server/contract/inputs/trigger.ts";
import { notify } from "#server/db/notify.ts";
import { trigger } from "#server/db/schema/trigger.ts";
import type { FiringView } from "#server/domain/trigger/firing.ts";
import type { TriggerSource } from "#server/domain/trigger/trigger.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorizeFound, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { iso } from "#server/services/core/view.ts";
import { rejectLimitedToken } from "#server/services/work/job/token-limit.ts";

export interface FiringRow {
	key: string;
	at: string;
	saw: FiringView;
	pipelineId: string | null;
	pipelineState: string | null;
	/** Total cost of everything the firing started, micro-dollars. */
	costMicroUsd: string;
	error: string | null;
}

export interface TriggerView {
	id: string;
	name: string;
	team: string;
	source: TriggerSource;
	enabled: boolean;
	createdBy: string;
	createdAt: string;
	checkedAt: string | null;
	/** Next time of a schedule; null for other kinds, and while disabled. */
	nextAt: string | null;
	/** Why it did not fire at its last check. */
	status: string | null;
	failed: boolean;
	/** Newest first, at most ten. */
	firings: FiringRow[];
}

const FIRINGS_SHOWN = 10;

/** Triggers by name, with their last firings. Cost: two queries. */
export async function listTriggers(ctx: ServiceContext, raw: z.input<typeof listTriggersInput>): Promise<TriggerView[]> {
	const scope = teamScope(ctx, "job:read");
	const input = listTriggersInput.parse(raw);
	const rows = await ctx.db
		.select()
		.from(trigger)
		.where(
			and(
				isNull(trigger.deletedAt),
				scope === null ? undefined : inArray(trigger.team, [...scope, ""]),
				input.team ? eq(trigger.team, input.team) : undefined,
			),
		)
		.orderBy(trigger.name, desc(trigger.createdAt))
		.limit(500);
	const firings = await readFirings(
		ctx,
		rows.map(({ id }) => id),
	);
	return rows.map((row) => ({
		...{ id: row.id, name: row.name, team: row.team, source: row.spec.source, enabled: row.enabled, createdBy: row.createdBy },
		...{ createdAt: row.createdAt.toISOString(), checkedAt: iso(row.checkedAt), nextAt: row.enabled ? iso(row.nextAt) : null },
		...{ status: row.status, failed: row.failed, firings: firings.get(row.id) ?? [] },
	}));
}

async function readFirings({ db }: ServiceContext, ids: readonly string[]): Promise<Map<string, FiringRow[]>> {
	if (ids.length === 0) return new Map();
	const rows = await db.execute<Omit<FiringRow, "at"> & { triggerId: string; at: Date | string } & Record<string, unknown>>(sql`
		select f.trigger_id as "triggerId", f.key, f.at, f.saw, f.pipeline_id as "pipelineId", f.error, p.state as "pipelineState",
			coalesce((select sum(j.cost_micro_usd) from pipeline_job pj join job j on j.id = pj.job_id where pj.pipeline_id = f.pipeline_id), 0)::text
				as "costMicroUsd"
		from unnest(${sql.param([...ids])}::text[]) as t(id)
		join lateral (select * from trigger_firing where trigger_id = t.id order by at desc limit ${FIRINGS_SHOWN}) f on true
		left join pipeline p on p.id = f.pipeline_id order by f.at desc`);
	const views = rows.map(({ triggerId, at, ...row }) => ({ triggerId, ...row, at: new Date(at).toISOString() }));
	return new Map(
		[...Map.groupBy(views, ({ triggerId }) => triggerId)].map(([id, own]) => [id, own.map(({ triggerId: _, ...row }) => row)]),
	);
}

function noTrigger(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no trigger ${id}.`, { fix: "List triggers with: spillway trigger ls" });
}

/**
 * Enables or disables a trigger. Enabling it again does not catch up on missed firings.
 * @throws SpillwayError `not_found`, also for another team's trigger; `forbidden`
 */
export async function setTriggerEnabled(
	ctx: ServiceContext,
	id: string,
	raw: z.input<typeof enableTriggerInput>,
): Promise<{ id: string; enabled: boolean }> {
	teamScope(ctx, "job:submit");
	const { enabled } = enableTriggerInput.parse(raw);
	if (enabled) rejectLimitedToken(ctx.actor);
	await changeTrigger(ctx, id, enabled ? "trigger.enable" : "trigger.disable", (kind) => ({
		enabled,
		nextCheckAt: enabled && kind !== "webhook" ? new Date(ctx.clock.nowMs()) : null,
		...(enabled && { nextAt: null }),
	}));
	return { id, enabled };
}

/** Deletes a trigger; its firings and pipelines stay. @throws SpillwayError `not_found`; `forbidden` */
export async function deleteTrigger(ctx: ServiceContext, id: string): Promise<{ id: string }> {
	await changeTrigger(ctx, id, "trigger.delete", () => ({ deletedAt: new Date(ctx.clock.nowMs()), nextCheckAt: null }));
	return { id };
}

async function changeTrigger(
	ctx: ServiceContext,
	id: string,
	action: string,
	changes: (kind: TriggerSource["kind"]) => Partial<typeof trigger.$inferInsert>,
): Promise<void> {
	await ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.select()
			.from(trigger)
			.where(and(eq(trigger.id, id), isNull(trigger.deletedAt)))
			.for("update");
		authorizeFound(ctx, "job:submit", row, () => noTrigger(id));
		if (!row) throw noTrigger(id);
		await tx.update(trigger).set(changes(row.spec.source.kind)).where(eq(trigger.id, id));
		await writeAudit(tx, ctx, { action, subject: id, after: { name: row.name } });
		await notify(tx, { changes: [{ topic: "pipeline", id: null, team: row.team }] });
	});
}
