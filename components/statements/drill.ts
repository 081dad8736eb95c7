import { type Drill, drillHref, narrowed } from "#components/spend/drill.ts";
import type { SpendFilters } from "#components/spend/view.ts";
import { addDays, dateOf, monthStart } from "#components/spend/zone-days.ts";
import type { StatementContent, StatementItem, WasteKey } from "#server/domain/statement.ts";
import { type ChargesWith, chargesOfLine, LOST_OF_WASTE } from "#server/domain/statement-charges.ts";

type Of = Pick<StatementContent, "month" | "team" | "zone" | "fromMs" | "toMs">;
type More = Pick<Drill, "job" | "lost" | "of" | "part">;

/** The page with the charges behind a figure of a statement: its team's, of its month (or of `month`), as they stand now. */
export function statementDrill(
	at: Of,
	{ withoutIdle, ...filters }: ChargesWith & SpendFilters = {},
	more: More = {},
	month = at.month,
): string | null {
	const dates =
		month === at.month
			? { from: dateOf(at.fromMs, at.zone), to: dateOf(at.toMs - 1, at.zone) }
			: { from: `${month}-01`, to: addDays(monthStart(`${month}-01`, 1), -1) };
	const both = narrowed(at.team === "" ? {} : { team: [at.team] }, filters);
	if (both === null) return null;
	const view = { range: "month", dates, by: "team", bucket: null, filters: both, zone: at.zone } as const;
	return drillHref(view, { ...more, ...(withoutIdle ? { withoutIdle } : {}) });
}

export function itemDrill(at: Of, { project, line, provider, capacityType, accelerator }: StatementItem): string | null {
	const own = { ...chargesOfLine(line), provider: [provider], capacityType: [capacityType], accelerator: [accelerator] };
	return statementDrill(at, at.team === "" ? own : { ...own, project: [project] });
}

export function wasteDrill(at: Of, key: WasteKey): string | null {
	return key === "idle" ? statementDrill(at, chargesOfLine("idle")) : statementDrill(at, {}, { lost: LOST_OF_WASTE[key] });
}

/** The same line of the month before. */
export const drillBefore = (at: Of, charges: ChargesWith = {}, more: More = {}): string | null =>
	statementDrill(at, charges, more, monthBefore(at.month));

/** "2026-10" of "2026-11". */
export function monthBefore(month: string): string {
	const [year = 0, number = 1] = month.split("-").map(Number);
	return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}
