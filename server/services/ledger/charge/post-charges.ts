import { asc, getTableColumns, inArray, sql } from "drizzle-orm";
import type { ChargeDraft } from "#server/accounting/amounts.ts";
import { type JobMonthDelta, jobMonthDeltas, NO_SUMS, type RollupDelta, rollupDeltas, splitCharge } from "#server/accounting/rollup.ts";
import { type SliceDelta, sliceDeltas } from "#server/accounting/slice.ts";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { charge } from "#server/db/schema/charge.ts";
import { job } from "#server/db/schema/job.ts";
import { newId } from "#server/kernel/ids.ts";
import { columnOf, insertRecords } from "#server/services/core/insert-records.ts";
import { holdLedgerCalendar } from "#server/services/core/ledger-calendar.ts";

/**
 * The only way into the ledger: inserts the charges and adds them to their jobs' totals and months and to the rollups, in the caller's
 * transaction. A charge that crosses a midnight of the ledger's calendar becomes two. It locks rollup rows last and in one order, which
 * prevents deadlocks between writers. Do not take further locks after calling it.
 */
export async function postCharges(tx: Tx, given: readonly ChargeDraft[], nowMs: number): Promise<void> {
	if (given.length === 0) return;
	const calendar = await holdLedgerCalendar(tx);
	const drafts = given.flatMap((draft) => splitCharge(draft, calendar));
	await addToJobs(tx, drafts);
	await addToAttempts(tx, drafts);
	await ensureMonths(tx, drafts);
	await insertRecords(
		tx,
		"charge",
		drafts.map((draft) => chargeRow(draft, nowMs)),
	);
	await addToJobMonths(tx, jobMonthDeltas(drafts, calendar));
	const deltas = rollupDeltas(drafts, calendar);
	await addToRollups(tx, deltas);
	await addToSlices(tx, sliceDeltas(deltas));
}

/** Locked after their jobs and ordered, as everywhere. */
async function addToAttempts(tx: Tx, drafts: readonly ChargeDraft[]): Promise<void> {
	const totals = new Map<string, { cost: bigint; gpu: bigint }>();
	for (const { attemptId, effectiveMicroUsd, gpuMs } of drafts) {
		if (attemptId === null) continue;
		const sum = totals.get(attemptId) ?? { cost: 0n, gpu: 0n };
		totals.set(attemptId, { cost: sum.cost + effectiveMicroUsd, gpu: sum.gpu + gpuMs });
	}
	if (totals.size === 0) return;
	const ids = [...totals.keys()];
	await tx.select({ id: attempt.id }).from(attempt).where(inArray(attempt.id, ids)).orderBy(asc(attempt.id)).for("no key update");
	const rows = [...totals].map(([id, sum]) => ({ id, cost: sum.cost.toString(), gpu: sum.gpu.toString() }));
	await tx.execute(sql`
		update attempt set cost_micro_usd = attempt.cost_micro_usd + add.cost, gpu_ms = attempt.gpu_ms + add.gpu
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as add(id text, cost bigint, gpu bigint)
		where attempt.id = add.id`);
}

/**
 * Charges are partitioned by UTC month. Partitions are created ahead (months-ahead.ts); the first charge of any other month
 * creates its own.
 */
async function ensureMonths(tx: Tx, drafts: readonly ChargeDraft[]): Promise<void> {
	const months = new Set(drafts.map((draft) => utcMonthStart(draft.periodStartMs)));
	for (const month of months) await tx.execute(sql`select spillway_charge_month(${new Date(month).toISOString()}::timestamptz)`);
}

function utcMonthStart(atMs: number): number {
	const at = new Date(atMs);
	return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

/** All columns except those that the database generates. */
const CHARGE_FIELDS = Object.keys(getTableColumns(charge)).filter((field) => field !== "number");

function chargeRow({ periodStartMs, periodEndMs, dimensions, ...rest }: ChargeDraft, nowMs: number): Record<string, unknown> {
	const [periodStart, periodEnd, postedAt] = [new Date(periodStartMs), new Date(periodEndMs), new Date(nowMs)];
	const row: Record<string, unknown> = { id: newId("chg", nowMs), periodStart, periodEnd, postedAt, ...dimensions, ...rest };
	// A draft may carry more fields than a charge. Write only the columns, and every column in every row.
	return Object.fromEntries(CHARGE_FIELDS.map((field) => [field, row[field] ?? null]));
}

async function addToJobs(tx: Tx, drafts: readonly ChargeDraft[]): Promise<void> {
	const totals = new Map<string, { cost: bigint; emissions: bigint }>();
	for (const draft of drafts) {
		if (draft.jobId === null) continue;
		const sum = totals.get(draft.jobId) ?? { cost: 0n, emissions: 0n };
		totals.set(draft.jobId, { cost: sum.cost + draft.effectiveMicroUsd, emissions: sum.emissions + (draft.emissionsMilligrams ?? 0n) });
	}
	if (totals.size === 0) return;
	await tx
		.select({ id: job.id })
		.from(job)
		.where(inArray(job.id, [...totals.keys()]))
		.orderBy(asc(job.id))
		.for("no key update");
	const rows = [...totals].map(([id, sum]) => ({ id, cost: sum.cost.toString(), emissions: sum.emissions.toString() }));
	await tx.execute(sql`
		update job set cost_micro_usd = job.cost_micro_usd + add.cost, emissions_milligrams = job.emissions_milligrams + add.emissions
		from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as add(id text, cost bigint, emissions bigint)
		where job.id = add.id`);
}

/** Adds the new amount to every sum of an existing row. */
function adding(table: string, key: readonly string[], more: readonly string[] = []): string {
	const sums = [...Object.keys(NO_SUMS).map((name) => columnOf(name)), ...more];
	return `on conflict (${key.join(", ")}) do update set ${sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ")}`;
}

const ADDING = {
	jobMonth: `${adding("job_month", ["month_start", "job_id"], ["cloud_micro_usd"])} returning job_id, xmax = 0 as is_new, several`,
	rollup: adding("rollup", [
		...["granularity", "bucket_start", "team", "project", "class", "site_id"],
		...["provider", "region", "capacity_type", "accelerator", "kind"],
	]),
	slice: adding("rollup_slice", ["granularity", "dimension", "bucket_start", "key", "team", "capacity_type", "idle"]),
};

/** The jobs are locked, so no other process writes these rows now. */
async function addToJobMonths(tx: Tx, deltas: readonly JobMonthDelta[]): Promise<void> {
	const rows = deltas.map(({ monthStartMs, ...rest }) => ({ monthStart: new Date(monthStartMs), ...rest }));
	const written = await insertRecords(tx, "job_month", rows, ADDING.jobMonth);
	const begun = written.flatMap((row) => (row["is_new"] === true ? [String(row["job_id"])] : []));
	const spanning = written.flatMap((row) => (row["several"] === true ? [String(row["job_id"])] : []));
	if (begun.length > 0) {
		const now = await tx.execute<{ job_id: string }>(sql`
			update job_month set several = true where not several and job_id in (
				select job_id from job_month where job_id in (select json_array_elements_text(${JSON.stringify(begun)}::json)) group by job_id having count(*) > 1)
			returning job_id`);
		spanning.push(...now.map((row) => row.job_id));
	}
	await keepSpans(tx, [...new Set(spanning)]);
}

/** For jobs of several months: the first month, the last month, and the total cost. */
async function keepSpans(tx: Tx, jobIds: readonly string[]): Promise<void> {
	if (jobIds.length === 0) return;
	await tx.execute(sql`
		insert into job_span (job_id, team, first_month, last_month, effective_micro_usd)
		select job_id, min(team), min(month_start), max(month_start), sum(effective_micro_usd) from job_month
		where job_id in (select json_array_elements_text(${JSON.stringify(jobIds)}::json)) group by job_id
		on conflict (job_id) do update set first_month = excluded.first_month, last_month = excluded.last_month, effective_micro_usd = excluded.effective_micro_usd`);
}

async function addToRollups(tx: Tx, deltas: readonly RollupDelta[]): Promise<void> {
	const rows = deltas.map(({ bucketStartMs, dimensions, ...rest }) => ({ bucketStart: new Date(bucketStartMs), ...dimensions, ...rest }));
	await insertRecords(tx, "rollup", rows, ADDING.rollup);
}

async function addToSlices(tx: Tx, deltas: readonly SliceDelta[]): Promise<void> {
	const rows = deltas.map(({ bucketStartMs, ...rest }) => ({ bucketStart: new Date(bucketStartMs), ...rest }));
	await insertRecords(tx, "rollup_slice", rows, ADDING.slice);
}
