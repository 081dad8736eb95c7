import type { FoundEntity } from "#server/domain/search.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { ledgerStartMs } from "#server/services/reporting/spend/ledger-start.ts";
import { ledgerMonthAt } from "#server/services/reporting/statement/month.ts";
import { pickMatches, type SearchFor } from "./match.ts";

/** A ledger of ten years. */
const MONTHS_MAX = 120;

/** Statements by month, newest first: "October 2026" or "2026-10". */
export async function findMonths(ctx: ServiceContext, search: SearchFor): Promise<FoundEntity[]> {
	const [startMs, calendar] = await Promise.all([ledgerStartMs(ctx), ledgerCalendar(ctx.db)]);
	if (startMs === null) return [];
	const nowMs = ctx.clock.nowMs();
	const months: { key: string; name: string; live: boolean }[] = [];
	let at = ledgerMonthAt(nowMs, calendar);
	while (at.toMs > startMs && months.length < MONTHS_MAX) {
		months.push({ key: at.month, name: nameOf(at.month), live: at.toMs > nowMs });
		at = ledgerMonthAt(at.fromMs - 1, calendar);
	}
	return pickMatches(months, (m) => `${m.name} ${m.key} statement`, search).map(({ key, name, live }) => ({
		...{
			kind: "month",
			id: key,
			name,
			detail: live ? "statement, in progress" : "statement",
			href: `/statements/${key}`,
			live,
			actions: [],
		},
	}));
}

function nameOf(key: string): string {
	return new Date(`${key}-01T00:00:00Z`).toLocaleString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
}
