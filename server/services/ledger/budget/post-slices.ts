import { type SQL, sql } from "drizzle-orm";
import { addSums, knownOf, NO_SUMS, type RollupSums } from "#server/accounting/rollup.ts";
import type { Tx } from "#server/db/client.ts";
import { columnOf, insertRecords } from "#server/services/core/insert-records.ts";
import { BUDGET_COST } from "./cost-sql.ts";
import type { BudgetJob, BudgetPosting } from "./post-detail.ts";

/** Sums of a slice, except the amount the budget counts. */
export const SLICE_SUMS = Object.keys(NO_SUMS).map((name) => columnOf(name));

const KEY = ["budget_id", "period_key", "day_start", "team"];
const COLUMNS = [...KEY, "posted_micro_usd", ...SLICE_SUMS];
const ADDING = `on conflict (${KEY.join(", ")}) do update set ${["posted_micro_usd", ...SLICE_SUMS]
	.map((name) => `${name} = budget_slice.${name} + excluded.${name}`)
	.join(", ")}`;

/**
 * Adds postings to the days of their budgets; call it before the ledger has them. `fresh`: jobs that a period counts from now on; their
 * earlier charges in the period are added too. The budgets must be locked.
 */
export async function addToBudgetSlices(tx: Tx, postings: readonly BudgetPosting[], fresh: readonly BudgetJob[]): Promise<void> {
	const rows = new Map<string, Record<string, unknown>>();
	for (const [key, own] of Map.groupBy(postings, (p) => JSON.stringify([p.budgetId, p.period.key, p.dayStartMs, p.team]))) {
		const [first] = own;
		if (!first) continue;
		const sums = own.reduce((total: RollupSums, { charge }) => addSums(total, knownOf(charge)), NO_SUMS);
		const postedMicroUsd = own.reduce((sum, p) => sum + p.microUsd, 0n);
		const place = { budgetId: first.budgetId, periodKey: first.period.key, dayStart: new Date(first.dayStartMs), team: first.team };
		rows.set(key, { ...place, postedMicroUsd, ...sums });
	}
	await insertRecords(tx, "budget_slice", [...rows.values()], ADDING);
	if (fresh.length > 0) await addEarlier(tx, fresh);
}

/** Usually returns nothing: a job is new to its period only with its first charge there. Cost: each job's charges by their index. */
async function addEarlier(tx: Tx, jobs: readonly BudgetJob[]): Promise<void> {
	const json = jobs.map(({ budgetId, period, jobId }) => ({
		...{ b: budgetId, p: period.key, j: jobId },
		...{ f: new Date(period.fromMs).toISOString(), t: new Date(period.toMs).toISOString() },
	}));
	await tx.execute(sql`
		insert into budget_slice (${sql.raw(COLUMNS.join(", "))})
		select b, p, day, team, sum(posted_micro_usd), ${sql.raw(SLICE_SUMS.map((name) => `sum(${name})`).join(", "))} from (
			select b, p, ${SLICE_OF_CHARGE} from jsonb_to_recordset(${JSON.stringify(json)}::jsonb) as g(b text, p text, j text, f timestamptz, t timestamptz)
			join charge on job_id = j and period_start >= f and period_start < t and ${COUNTED}
		) as earlier group by b, p, day, team ${sql.raw(ADDING)}`);
}

/** Condition on a row of `charge`: the budget counts its job. */
export const COUNTED = sql.raw("capacity_type <> 'owned' and coalesce(instance_id, artifact_id) is not null");

/** Selects day, team, posted_micro_usd and SLICE_SUMS, in that order, from `charge`. */
export const SLICE_OF_CHARGE: SQL = sql`date_trunc('day', period_start, (select spillway_ledger_zone())) as day, team, ${BUDGET_COST} as posted_micro_usd, ${sql.raw(
	SLICE_SUMS.map((name) => `${ofCharge(name)} as ${name}`).join(", "),
)}`;

function ofCharge(sum: string): string {
	if (sum === "charges") return "1";
	const unknown = { emissions_unknown_gpu_ms: "emissions", market_unknown_gpu_ms: "market_emissions", embodied_unknown_gpu_ms: "embodied" }[
		sum
	];
	if (unknown !== undefined) return `case when ${unknown}_milligrams is null then gpu_ms else 0 end`;
	return sum.endsWith("_milligrams") ? `coalesce(${sum}, 0)` : sum;
}

/** Replaces a period's days by the sums of these rows of day, team, posted_micro_usd and SLICE_SUMS. The budget must be locked. */
export async function replaceBudgetSlices(
	tx: Tx,
	{ budgetId, periodKey }: { budgetId: string; periodKey: string },
	rows: SQL | null,
): Promise<void> {
	await tx.execute(sql`delete from budget_slice where budget_id = ${budgetId} and period_key = ${periodKey}`);
	if (rows === null) return;
	await tx.execute(sql`
		insert into budget_slice (${sql.raw(COLUMNS.join(", "))})
		select ${budgetId}, ${periodKey}, day, team, sum(posted_micro_usd), ${sql.raw(SLICE_SUMS.map((name) => `sum(${name})`).join(", "))}
		from (${rows}) as counted group by day, team`);
}
