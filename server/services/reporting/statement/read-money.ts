import { desc, eq, inArray, sql } from "drizzle-orm";
import { periodOf } from "#server/accounting/calendar.ts";
import type { MonthFacts } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { budgetPeriod } from "#server/db/schema/budget.ts";
import { statementNote } from "#server/db/schema/statement.ts";
import type { Policy } from "#server/domain/policy.ts";
import type { StatementBill } from "#server/domain/statement.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { policiesBefore } from "#server/services/policy/at.ts";
import type { LedgerMonth } from "./month.ts";

/** The policy in force at the month's end; null if there was none. */
export async function policyOfMonth(db: DbOrTx, { toMs }: LedgerMonth): Promise<Policy | null> {
	return (await policiesBefore(db, toMs))(toMs);
}

/** The policy in force now; null without any. */
export async function policyOfToday(db: DbOrTx): Promise<Policy | null> {
	try {
		return (await activePolicy(db)).policy;
	} catch (error) {
		if (error instanceof SpillwayError && error.code === "unavailable") return null;
		throw error;
	}
}

/** The newest note of each subject, by team and subject. */
export async function readNotes(db: DbOrTx, month: string): Promise<Map<string, string>> {
	const rows = await db
		.selectDistinctOn([statementNote.team, statementNote.subject])
		.from(statementNote)
		.where(eq(statementNote.month, month))
		.orderBy(statementNote.team, statementNote.subject, desc(statementNote.writtenAt), desc(statementNote.id));
	return new Map(rows.map((r) => [noteKey(r.team, r.subject), r.text]));
}

export const noteKey = (team: string, subject: string): string => JSON.stringify([team, subject]);

/**
 * Caps of the policy at the month's end and the amounts posted against them, each in the period that contains the month.
 * `team`: the statement that shows it besides the company's.
 */
export async function readBudgets(
	db: DbOrTx,
	month: LedgerMonth,
	policy: Policy | null,
	notes: ReadonlyMap<string, string>,
): Promise<MonthFacts["budgets"][number][]> {
	const rules = policy?.budgets ?? [];
	if (rules.length === 0) return [];
	const rows = await db
		.select()
		.from(budgetPeriod)
		.where(
			inArray(
				budgetPeriod.budgetId,
				rules.map((r) => r.id),
			),
		);
	const posted = new Map(rows.map((r) => [`${r.budgetId}/${r.periodKey}`, r.postedMicroUsd]));
	return rules.map(({ id, scope, period, capMicroUsd }) => {
		const { key: periodKey } = periodOf(period, month.fromMs, month.calendar);
		const postedMicroUsd = posted.get(`${id}/${periodKey}`) ?? 0n;
		const team = teamOfScope(scope);
		return {
			...{ team, id, scope, period, periodKey },
			capMicroUsd: capMicroUsd.toString(),
			postedMicroUsd: postedMicroUsd.toString(),
			varianceMicroUsd: (postedMicroUsd - capMicroUsd).toString(),
			note: notes.get(noteKey("", `budget:${id}`)) ?? null,
		};
	});
}

/** A budget scoped to one team's jobs, or some of them, belongs on that team's statement. */
function teamOfScope(scope: string): string {
	const names = new Set([...scope.matchAll(/job\.team\s*==\s*(?:"([^"\\]*)"|'([^'\\]*)')/g)].map(([, a, b]) => a ?? b ?? ""));
	const [only] = names;
	return names.size === 1 && only !== undefined && !/\|\||!/.test(scope) ? only : "";
}

/** Bills compared with the ledger, by team ("" is the company, including charges without a team) and provider. */
export async function readBills(db: DbOrTx, month: string, notes: ReadonlyMap<string, string>): Promise<Map<string, StatementBill[]>> {
	const rows = await db.execute<{ team: string; provider: string; resources: number; unknown: number } & Record<string, string>>(sql`
		select case grouping(j.team) when 1 then '' else coalesce(j.team, '') end as team, grouping(j.team)::int::text as whole, r.provider,
			count(*)::int as resources, (count(*) filter (where r.state = 'billed_unknown'))::int as unknown,
			sum(r.estimated_micro_usd)::text as estimated, sum(r.billed_micro_usd)::text as billed, sum(r.adjusted_micro_usd)::text as adjusted
		from reconciliation r left join instance i on i.id = r.instance_id left join job j on j.id = i.job_id
		where r.month = ${month}
		group by grouping sets ((r.provider), (j.team, r.provider))
		order by r.provider`);
	const bills = new Map<string, StatementBill[]>();
	for (const row of rows) {
		const { team, provider, estimated = "0", billed = "0", adjusted = "0", whole } = row;
		if (whole === "0" && team === "") continue;
		const bill: StatementBill = {
			...{ provider, resources: row.resources, unknown: row.unknown },
			estimatedMicroUsd: estimated,
			billedMicroUsd: billed,
			adjustedMicroUsd: adjusted,
			unexplainedMicroUsd: (BigInt(billed) - BigInt(estimated) - BigInt(adjusted)).toString(),
			note: notes.get(noteKey(team, `bill:${provider}`)) ?? null,
		};
		bills.set(team, [...(bills.get(team) ?? []), bill]);
	}
	return bills;
}
