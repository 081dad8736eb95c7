import { type Drill, drillHref, narrowed } from "#components/spend/drill.ts";
import type { SpendFilters } from "#components/spend/view.ts";
import { addDays, dateOf, monthStart } from "#components/spend/zone-days.ts";
import type { StatementView } from "#components/statements/use-statement.ts";
import { cutOfVersion } from "#server/domain/ledger-cut.ts";
import { STATEMENT_LINES, type StatementContent, type StatementItem, type WasteKey } from "#server/domain/statement.ts";
import { type ChargesWith, chargesOfLine, LOST_OF_WASTE } from "#server/domain/statement-charges.ts";

type StatementDifference = StatementView["versions"][number]["differences"][number];
type Of = Pick<StatementContent, "month" | "team" | "version" | "zone" | "fromMs" | "toMs">;
type More = Pick<Drill, "job" | "lost" | "of" | "part" | "since">;

/**
 * Link to the charges behind a figure, for its team and month (or `month`), as of the version's closing; for a preview
 * as of now.
 */
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
	const asOf = cutOfVersion(at);
	return drillHref(view, { ...more, ...(asOf === null ? {} : { asOf }), ...(withoutIdle ? { withoutIdle } : {}) });
}

export function itemDrill(at: Of, { project, line, provider, capacityType, accelerator }: StatementItem): string | null {
	const own = { ...chargesOfLine(line), provider: [provider], capacityType: [capacityType], accelerator: [accelerator] };
	return statementDrill(at, at.team === "" ? own : { ...own, project: [project] });
}

export function wasteDrill(at: Of, key: WasteKey): string | null {
	return key === "idle" ? statementDrill(at, chargesOfLine("idle")) : statementDrill(at, {}, { lost: LOST_OF_WASTE[key] });
}

/** The same line of the previous month. */
export const drillBefore = (at: Of, charges: ChargesWith = {}, more: More = {}): string | null =>
	statementDrill(at, charges, more, monthBefore(at.month));

/** Postings to the month since a version was closed. */
export function laterDrill(at: Of, version: number): string | null {
	const since = cutOfVersion({ ...at, version });
	return since === null ? null : statementDrill({ ...at, version: 0 }, {}, { since });
}

/** Charges behind a difference from the previous version; null if it is not a sum of the month's charges. */
export function differenceDrill(at: Of, { section, key }: StatementDifference): string | null {
	const since = cutOfVersion({ ...at, version: at.version - 1 });
	if (since === null) return null;
	if (section === "total") return statementDrill(at, {}, { since });
	if (section === "team" || section === "project") return statementDrill(at, { [section]: [key] }, { since });
	const line = section === "line" ? STATEMENT_LINES.find((name) => name === key) : undefined;
	return line ? statementDrill(at, chargesOfLine(line), { since }) : null;
}

/** "2026-10" from "2026-11". */
export function monthBefore(month: string): string {
	const [year = 0, number = 1] = month.split("-").map(Number);
	return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}
