import { and, desc, eq, gte, inArray, isNull, lt, notInArray, sql } from "drizzle-orm";
import { nextBucketStartMs } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { alert } from "#server/db/schema/alert.ts";
import { charge } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import type { AlertFinding } from "#server/domain/alert-facts.ts";
import { DECIDED_RULES, decideAlerts } from "#server/domain/decide-alerts.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { countBudgets } from "#server/services/ledger/budget/count.ts";
import { openAlert, queueAlert } from "#server/services/notification/alert/open.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { loadAlertFacts } from "./load-facts.ts";

/** An arbitrary constant: allows one evaluation at a time, in any process. */
const EVALUATION_LOCK = 727_021;

/**
 * Checks budgets, teams' days and live machines, opens new alerts and closes those that no longer apply. Each new alert goes to
 * the outbox in the same transaction, and so do alerts opened elsewhere (bills, the ledger's check). Repeated and concurrent
 * calls open an alert once. Returns how many opened and closed.
 */
export async function evaluateAlerts(ctx: ServiceContext): Promise<{ opened: number; closed: number }> {
	const nowMs = ctx.clock.nowMs();
	const budgets = await activePolicy(ctx.db).then(
		({ policy }) => policy.budgets,
		(error: unknown) => {
			if (error instanceof SpillwayError && error.code === "unavailable") return [];
			throw error;
		},
	);
	await ctx.db.transaction((tx) => countBudgets(tx, budgets, nowMs));
	const facts = await loadAlertFacts(ctx, budgets);
	return ctx.db.transaction(async (tx) => {
		await tx.execute(sql`select pg_advisory_xact_lock(${EVALUATION_LOCK})`);
		const openNow = await tx.select({ id: alert.id, rule: alert.rule, subject: alert.subject }).from(alert).where(isNull(alert.closedAt));
		const decision = decideAlerts(facts, openNow);
		let opened = 0;
		for (const finding of decision.open) if (await openAlert(tx, await withTopJob(tx, finding), nowMs)) opened++;
		if (decision.close.length > 0)
			await tx
				.update(alert)
				.set({ closedAt: new Date(nowMs) })
				.where(inArray(alert.id, decision.close));
		const queued = await queueOtherAlerts(tx, nowMs);
		const closed = decision.close.length;
		if (opened + closed + queued > 0) await notify(tx, { changes: [{ topic: "alert", id: null, team: null }] });
		return { opened, closed };
	});
}

/** Alerts that are open and were not opened here; if already sent, they add nothing. */
async function queueOtherAlerts(tx: Tx, nowMs: number): Promise<number> {
	const rows = await tx
		.select()
		.from(alert)
		.where(and(isNull(alert.closedAt), notInArray(alert.rule, [...DECIDED_RULES])));
	let queued = 0;
	for (const row of rows) queued += await queueAlert(tx, row, nowMs);
	return queued;
}

/**
 * The best explanation of an anomalous day: the most expensive job of that day. Cost: the day's charges of one team, for an alert that
 * opens.
 */
async function withTopJob(tx: Tx, finding: AlertFinding): Promise<AlertFinding> {
	const { team, dayStartMs } = finding.facts;
	if (finding.rule !== "spend_anomaly" || typeof dayStartMs !== "number" || typeof team !== "string") return finding;
	const toMs = nextBucketStartMs("day", dayStartMs, await ledgerCalendar(tx));
	const total = sql<string>`sum(${charge.effectiveMicroUsd})`;
	const [dearest] = await tx
		.select({ jobId: job.id, name: job.name, sum: sql<string>`${total}::text` })
		.from(charge)
		.innerJoin(job, eq(job.id, charge.jobId))
		.where(and(gte(charge.periodStart, new Date(dayStartMs)), lt(charge.periodStart, new Date(toMs)), eq(charge.team, team)))
		.groupBy(job.id, job.name)
		.orderBy(desc(total), job.id)
		.limit(1);
	if (!dearest) return finding;
	return { ...finding, facts: { ...finding.facts, jobId: dearest.jobId, jobName: dearest.name, jobMicroUsd: dearest.sum } };
}
