import { buildStatement } from "#server/accounting/statement.ts";
import type { StatementContent } from "#server/domain/statement.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { reportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { readMonthFacts } from "./facts.ts";
import { ledgerMonth } from "./month.ts";

/**
 * The current state of a month's statement; never stored.
 * @param input.team "" is the company.
 * @param input.currency defaults to the reporting currency.
 * @throws SpillwayError `forbidden`, `invalid_input`; `conflict` with currency and day when an exchange rate is missing.
 */
export async function previewStatement(
	ctx: Pick<ServiceContext, "actor" | "db" | "clock">,
	input: { month: string; team: string; currency?: string | undefined },
): Promise<StatementContent> {
	authorize(ctx, "statement:read", input.team);
	const month = ledgerMonth(input.month, await ledgerCalendar(ctx.db));
	return ctx.db.transaction(
		async (tx) => {
			const currency = input.currency ?? (await reportingCurrency(tx));
			const facts = await readMonthFacts(tx, month, { only: input.team, postedUntilMs: ctx.clock.nowMs(), currency });
			return buildStatement(facts, { team: input.team, version: 0, replaces: null });
		},
		{ isolationLevel: "repeatable read", accessMode: "read only" },
	);
}
