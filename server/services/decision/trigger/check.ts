import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { trigger } from "#server/db/schema/trigger.ts";
import { nextCronTime, parseCron } from "#server/domain/trigger/cron.ts";
import { dueTimes } from "#server/domain/trigger/due-times.ts";
import type { AfterSource, CronSource } from "#server/domain/trigger/trigger.ts";
import type { TriggerRow } from "#server/services/work/trigger/read.ts";
import type { QuoteContext } from "../pipeline/quote.ts";
import { checkLocation, type ListObjects } from "./check-location.ts";
import { type Checked, prepareFiring, writeFiring } from "./fire.ts";

/** How often a trigger waits for another pipeline is checked. */
const AFTER_EVERY_MS = 2_000;
/** Pause after a failed check. */
const FAILED_EVERY_MS = 60_000;
const CHECKED_PER_CALL = 100;

/**
 * Checks every due trigger, and fires those with their condition met. Each trigger shares one transaction with its firings. Returns how
 * many fired. Cost: one query when none is due.
 */
export async function checkTriggers(ctx: QuoteContext, listObjects: ListObjects): Promise<number> {
	const due = await ctx.db
		.select()
		.from(trigger)
		.where(and(isNull(trigger.deletedAt), eq(trigger.enabled, true), lte(trigger.nextCheckAt, new Date(ctx.clock.nowMs()))))
		.orderBy(asc(trigger.nextCheckAt))
		.limit(CHECKED_PER_CALL);
	let fired = 0;
	for (const row of due) fired += await checkOne(ctx, row, listObjects);
	return fired;
}

async function checkOne(ctx: QuoteContext, row: TriggerRow, listObjects: ListObjects): Promise<number> {
	try {
		const checked = await check(ctx, row, listObjects);
		let fired = 0;
		for (const firing of checked.firings) {
			const prepared = await prepareFiring(ctx, row, firing);
			const isNew = await ctx.db.transaction(async (tx) => {
				const added = await writeFiring(tx, ctx, row, prepared);
				await checked.settle?.(tx, firing);
				return added;
			});
			if (isNew) fired++;
		}
		await writeCheck(ctx, row, { ...checked, failed: false });
		return fired;
	} catch (error) {
		const status = error instanceof Error ? error.message : String(error);
		await writeCheck(ctx, row, {
			...{ status: `The check failed: ${status}`, failed: true, firings: [] },
			...{ nextCheckMs: ctx.clock.nowMs() + FAILED_EVERY_MS, nextAtMs: row.nextAt?.getTime() ?? null },
		});
		return 0;
	}
}

function check(ctx: QuoteContext, row: TriggerRow, listObjects: ListObjects): Promise<Checked> {
	const { source } = row.spec;
	switch (source.kind) {
		case "cron":
			return Promise.resolve(checkSchedule(row, source, ctx.clock.nowMs()));
		case "after":
			return checkPipelines(ctx, row, source);
		case "data":
			return checkLocation(ctx, row, source, listObjects);
		case "webhook":
			return Promise.resolve({ firings: [], status: null, nextCheckMs: ctx.clock.nowMs() + FAILED_EVERY_MS, nextAtMs: null });
	}
}

function checkSchedule(row: TriggerRow, source: CronSource, nowMs: number): Checked {
	const schedule = parseCron(source.schedule);
	if (typeof schedule === "string") throw new Error(`the schedule ${schedule}`);
	const first = row.nextAt?.getTime() ?? nextCronTime(schedule, source.zone, nowMs);
	if (first === null)
		return { firings: [], status: "The schedule has no further time.", nextCheckMs: nowMs + FAILED_EVERY_MS, nextAtMs: null };
	const { fire, nextMs } = dueTimes({ schedule, zone: source.zone, missed: source.missed, nextMs: first, nowMs });
	return {
		firings: fire.map(({ atMs, missed }) => {
			const time = new Date(atMs).toISOString();
			return { key: time, saw: { time, ...(missed > 0 && { missed }) } };
		}),
		status: fire.length === 0 && nextMs !== first ? "Missed times were skipped." : null,
		nextCheckMs: nextMs ?? nowMs + FAILED_EVERY_MS,
		nextAtMs: nextMs,
	};
}

async function checkPipelines(ctx: QuoteContext, row: TriggerRow, source: AfterSource): Promise<Checked> {
	const ended = await ctx.db.execute<{ id: string; state: string; at: Date | string }>(sql`
		select p.id, p.state, p.finished_at as at from pipeline p
		where p.team = ${row.team} and p.name = ${source.pipeline} and p.finished_at >= ${row.createdAt.toISOString()}::timestamptz
			and p.state = any(${sql.param([...source.states])}::text[])
			and not exists (
				select 1 from trigger_firing f where f.trigger_id = ${row.id} and f.key = p.id || ' ' || extract(epoch from p.finished_at)::text)
		order by p.finished_at limit 100`);
	const keys = await ctx.db.execute<{ id: string; key: string }>(sql`
		select p.id, p.id || ' ' || extract(epoch from p.finished_at)::text as key from pipeline p
		where p.id = any(${sql.param(ended.map(({ id }) => id))}::text[])`);
	const keyOf = new Map(keys.map(({ id, key }) => [id, key]));
	return {
		firings: ended.map(({ id, state, at }) => ({
			key: keyOf.get(id) ?? id,
			saw: { time: new Date(at).toISOString(), pipeline: { id, state } },
		})),
		status: ended.length === 0 ? `Waiting for pipeline ${source.pipeline} to end.` : null,
		nextCheckMs: ctx.clock.nowMs() + AFTER_EVERY_MS,
		nextAtMs: null,
	};
}

async function writeCheck(ctx: QuoteContext, row: TriggerRow, checked: Omit<Checked, "settle"> & { failed: boolean }): Promise<void> {
	const { status, failed, nextCheckMs, nextAtMs, firings } = checked;
	const hasChanged = status !== row.status || failed !== row.failed || firings.length > 0;
	await ctx.db
		.update(trigger)
		.set({
			...{ checkedAt: new Date(ctx.clock.nowMs()), status, failed },
			...{ nextCheckAt: new Date(nextCheckMs), nextAt: nextAtMs === null ? null : new Date(nextAtMs) },
		})
		// A trigger that was disabled, deleted or given another source meanwhile stays that way.
		.where(and(eq(trigger.id, row.id), eq(trigger.createdAt, row.createdAt), eq(trigger.enabled, true), isNull(trigger.deletedAt)));
	if (hasChanged) await notify(ctx.db, { changes: [{ topic: "pipeline", id: null, team: row.team }] });
}
