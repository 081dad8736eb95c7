import { formatMonth } from "#components/time/format-time.ts";
import { drillHref, type SpendPart } from "./drill.ts";
import { type Cell, changeOf, perGpuHour, type SpendPage } from "./prepare-table.ts";
import { type SpendView, spendHref } from "./view.ts";
import { addDays, dateOf, monthStart, shownMs } from "./zone-days.ts";

/** A month in the ledger's time zone, compared with the previous one. */
export interface MonthRow {
	id: string;
	label: string;
	/** Link to the screen for this month. */
	href: string;
	/** Label of the covered part of a partial month. */
	note: string | null;
	owned: Cell;
	idle: Cell;
	cloud: Cell;
	total: Cell;
	/** Idle share of the owned hardware's cost; null without any. */
	idleShare: number | null;
	ownedMicroUsdPerGpuHour: bigint | null;
	cloudMicroUsdPerGpuHour: bigint | null;
	/** Change from the previous month; an estimate for the current month. null if either is incomplete. */
	change: { value: number; estimate: boolean } | null;
}

/** Months, newest first, starting with the first charge. */
export function prepareMonths(page: Pick<SpendPage, "months" | "forecast" | "ledgerStartMs">, view: SpendView, nowMs: number): MonthRow[] {
	const { ledgerStartMs } = page;
	const points = page.months.points.filter((p) => ledgerStartMs !== null && p.toMs > ledgerStartMs);
	const rows = points.map((point, i): MonthRow => {
		const first = dateOf(point.fromMs, view.zone);
		const dates = { from: first, to: addDays(monthStart(first, 1), -1) };
		const running = nowMs < point.toMs;
		const begun = ledgerStartMs !== null && ledgerStartMs > point.fromMs;
		const own: SpendView = { ...view, dates };
		const cell = (part: SpendPart, microUsd: bigint): Cell => ({ microUsd, href: microUsd === 0n ? null : drillHref(own, { part }) });
		const home = point.ownedMicroUsd + point.idleMicroUsd;
		const before = points[i - 1];
		const whole = before && (ledgerStartMs === null || before.fromMs >= ledgerStartMs) ? before.totalMicroUsd : null;
		const value = running
			? page.forecast.total
				? changeOf(page.forecast.total.expectedMicroUsd, whole)
				: null
			: changeOf(point.totalMicroUsd, whole);
		return {
			id: first,
			label: formatMonth(shownMs(first)),
			href: spendHref(own),
			note: running ? "to date" : begun ? `from ${Number(dateOf(ledgerStartMs ?? 0, view.zone).slice(8))} on` : null,
			owned: cell("owned", point.ownedMicroUsd),
			idle: cell("idle", point.idleMicroUsd),
			cloud: cell("cloud", point.cloudMicroUsd),
			total: cell("all", point.totalMicroUsd),
			idleShare: home > 0n ? Number(point.idleMicroUsd) / Number(home) : null,
			ownedMicroUsdPerGpuHour: home === 0n ? null : perGpuHour(home, point.ownedGpuMs),
			cloudMicroUsdPerGpuHour: point.cloudMicroUsd === 0n ? null : perGpuHour(point.cloudMicroUsd, point.cloudGpuMs),
			change: value === null ? null : { value, estimate: running },
		};
	});
	return rows.reverse();
}
