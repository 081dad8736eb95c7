import { sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Tx } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { budgetPeriod, hold, holdBudget } from "#server/db/schema/budget.ts";
import { decision } from "#server/db/schema/decision.ts";
import { event } from "#server/db/schema/event.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import { gpusOf } from "#server/domain/job.ts";
import { newId } from "#server/kernel/ids.ts";
import { toStoredOffer } from "#server/services/pricing/offer/stored-offer.ts";
import type { History } from "./synthetic/history.ts";
import type { AttemptRecord, InstanceRecord, JobRecord } from "./synthetic/records.ts";

/** Rows per INSERT: a statement takes at most 65,535 parameters, and the widest row has 36. */
const INSERT_ROWS = 500;

/**
 * Writes a simulated history as the rows that a real one would have left, except metering: the meter, the only writer
 * of the ledger, then creates charges, rollups, totals and posted budgets. Every constraint and trigger applies.
 * @param newsSinceMs lines of the feed are kept from then on
 */
export async function writeHistory(tx: Tx, history: History, newsSinceMs: number): Promise<void> {
	const teams = new Map(history.jobs.map((row) => [row.id, row.spec.team]));
	await insertAll(tx, job, history.jobs.map(jobRow));
	await insertAll(tx, attempt, history.attempts.map(attemptRow));
	await insertAll(tx, instance, history.instances.map(instanceRow));
	await insertAll(
		tx,
		allocation,
		history.allocations.map(({ startedAtMs, endedAtMs, ...rest }) => ({
			...rest,
			startedAt: new Date(startedAtMs),
			endedAt: time(endedAtMs),
		})),
	);
	await writeHolds(tx, history);
	await insertAll(
		tx,
		decision,
		history.decisions.map((d) => ({
			id: newId("dec", d.decidedAtMs),
			jobId: d.jobId,
			decidedAt: new Date(d.decidedAtMs),
			attemptNumber: d.attemptNumber,
			policyName: d.explanation.policy.name,
			policyVersion: d.explanation.policy.version,
			explanation: d.explanation,
		})),
	);
	await insertAll(
		tx,
		event,
		history.news
			.filter((line) => line.atMs >= newsSinceMs)
			.map(({ atMs, ...line }) => ({ ...line, at: new Date(atMs), team: line.jobId === null ? null : (teams.get(line.jobId) ?? null) })),
	);
}

async function insertAll<T extends PgTable>(tx: Tx, table: T, rows: readonly T["$inferInsert"][]): Promise<void> {
	for (let at = 0; at < rows.length; at += INSERT_ROWS) await tx.insert(table).values(rows.slice(at, at + INSERT_ROWS));
}

/** Reserved as at placement: open until the meter posts the machine's cost and releases the rest. */
async function writeHolds(tx: Tx, { holds }: History): Promise<void> {
	const rows = holds.map((h) => ({ ...h, id: newId("hold", h.createdAtMs) }));
	await insertAll(
		tx,
		hold,
		rows.map((h) => ({ id: h.id, instanceId: h.instanceId, amountMicroUsd: h.amountMicroUsd, createdAt: new Date(h.createdAtMs) })),
	);
	const counted = rows.flatMap((h) => h.budgets.map((b) => ({ holdId: h.id, ...b, heldMicroUsd: h.amountMicroUsd })));
	await insertAll(
		tx,
		holdBudget,
		counted.map(({ heldMicroUsd: _, ...key }) => key),
	);
	const periods = Map.groupBy(counted, (c) => JSON.stringify([c.budgetId, c.periodKey]));
	const sums = [...periods.values()].flatMap(([first, ...rest]) =>
		first
			? [
					{
						budgetId: first.budgetId,
						periodKey: first.periodKey,
						heldMicroUsd: rest.reduce((sum, c) => sum + c.heldMicroUsd, first.heldMicroUsd),
					},
				]
			: [],
	);
	if (sums.length === 0) return;
	// The current period exists since its budget was published; nothing is held in it yet.
	await tx
		.insert(budgetPeriod)
		.values(sums)
		.onConflictDoUpdate({
			target: [budgetPeriod.budgetId, budgetPeriod.periodKey],
			set: { heldMicroUsd: sql`${budgetPeriod.heldMicroUsd} + excluded.held_micro_usd` },
		});
}

function jobRow(row: JobRecord): typeof job.$inferInsert {
	const { spec } = row;
	return {
		id: row.id,
		name: spec.name,
		team: spec.team,
		project: spec.project ?? "",
		class: spec.class,
		priority: spec.priority,
		gpus: gpusOf(spec),
		spec,
		state: row.state,
		reason: row.reason,
		placement: row.placement,
		attempts: row.attempts,
		submittedBy: row.work.submittedBy,
		submittedAt: new Date(row.submittedAtMs),
		pendingSince: new Date(row.pendingSinceMs),
		startedAt: time(row.startedAtMs),
		finishedAt: time(row.finishedAtMs),
		deadlineAt: time(spec.deadlineMs),
		cancelRequestedAt: time(row.cancelRequestedAtMs),
		cancelRequestedBy: row.cancelRequestedAtMs === null ? null : row.work.submittedBy,
		completedMs: BigInt(row.completedMs),
		synthetic: true,
	};
}

function attemptRow(row: AttemptRecord): typeof attempt.$inferInsert {
	const { id, jobId, number, state, placement, gpus, slots, stopReason, reason, exitCode, exitSignal } = row;
	return {
		...{ id, jobId, number, state, placement, gpus, slots, stopReason, reason, exitCode, exitSignal },
		siteId: placement.siteId,
		capacityType: placement.capacityType,
		createdAt: new Date(row.createdAtMs),
		handedOverAt: time(row.handedOverAtMs),
		stagingAt: time(row.stagingAtMs),
		startedAt: time(row.startedAtMs),
		stopRequestedAt: time(row.stopRequestedAtMs),
		finishedAt: time(row.finishedAtMs),
	};
}

function instanceRow(row: InstanceRecord): typeof instance.$inferInsert {
	const { siteId, provider, region, zone, instanceType, capacityType, accelerator, gpus } = row.offer;
	const { id, jobId, attemptId, state, providerInstanceId, microUsdPerHour, calls, lastError, terminateCalls, reason } = row;
	return {
		...{ id, jobId, attemptId, state, microUsdPerHour, calls, lastError, terminateCalls, reason },
		...{ siteId, provider, region, zone, instanceType, capacityType, accelerator, gpus },
		// Next to real ones of the same account: an id that no provider assigns.
		providerInstanceId: providerInstanceId === null ? null : `synthetic-${id.slice(4)}`,
		offer: toStoredOffer(row.offer),
		intendedAt: new Date(row.intendedAtMs),
		requestedAt: time(row.requestedAtMs),
		lastCallAt: time(row.lastCallAtMs),
		launchedAt: time(row.launchedAtMs),
		billedFrom: time(row.launchedAtMs),
		readyAt: time(row.readyAtMs),
		interruptionAt: time(row.interruptionAtMs),
		terminatingAt: time(row.terminatingAtMs),
		lastTerminateCallAt: time(row.lastTerminateCallAtMs),
		terminatedAt: time(row.terminatedAtMs),
		billedUntil: row.launchedAtMs === null ? null : time(row.terminatedAtMs),
		lastSeenAt: time(row.lastSeenAtMs),
		expiresAt: new Date(row.expiresAtMs),
	};
}

function time(ms: number | null): Date | null {
	return ms === null ? null : new Date(ms);
}
