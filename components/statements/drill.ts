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
 * The page with the charges behind a figure of a statement: its team's, of its month (or of `month`), as they stood when the
 * version was closed; behind a preview's as they stand now.
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

/** The same line of the month before. */
export const drillBefore = (at: Of, charges: ChargesWith = {}, more: More = {}): string | null =>
	statementDrill(at, charges, more, monthBefore(at.month));

/** What was posted to the month after a version was closed, up to now. */
export function laterDrill(at: Of, version: number): string | null {
	const since = cutOfVersion({ ...at, version });
	return since === null ? null : statementDrill({ ...at, version: 0 }, {}, { since });
}

/** The charges behind a difference to the version before; null for what is no sum of charges of the month. */
export function differenceDrill(at: Of, { section, key }: StatementDifference): string | null {
	const since = cutOfVersion({ ...at, version: at.version - 1 });
	if (since === null) return null;
	if (section === "total") return statementDrill(at, {}, { since });
	if (section === "team" || section === "project") return statementDrill(at, { [section]: [key] }, { since });
	const line = section === "line" ? STATEMENT_LINES.find((name) => name === key) : undefined;
	return line ? statementDrill(at, chargesOfLine(line), { since }) : null;
}

/** "2026-10" of "2026-11". */
export function monthBefore(month: string): string {
	const [year = 0, number = 1] = month.split("-").map(Number);
	return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}
