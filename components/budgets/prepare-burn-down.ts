import type { BudgetDetail } from "#components/budgets/params.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { addDays, shownMs } from "#components/spend/zone-days.ts";
import { formatDay } from "#components/time/format-time.ts";
import { DAY_MS } from "#server/kernel/units.ts";

type Input = Pick<
	BudgetDetail,
	"days" | "ahead" | "capMicroUsd" | "postedMicroUsd" | "heldMicroUsd" | "periodKey" | "periodStartMs" | "periodEndMs" | "forecast"
>;

/** Remaining dollars over time, as Recharts takes them. */
export interface BurnDownRow {
	atMs: number;
	/** Known: one step per day. */
	left?: number;
	/** Linear from the full cap to zero. */
	pace?: number;
	/** Forecast range and median. */
	range?: [worst: number, best: number];
	middle?: number;
}

export interface BurnDown {
	rows: BurnDownRow[];
	/** Remaining now; null for an ended period. */
	now: { atMs: number; left: number; held: number } | null;
	endLabels: { id: string; text: string; value: number; over: boolean; strong: boolean }[];
	/** Start of the axis: negative if the cap is or may be exceeded. */
	lowest: number;
}

export interface BurnDownDay {
	id: string;
	/** `2026-11-30`, in the ledger's time zone. */
	date: string;
	label: string;
	/** Completed days, and today so far. */
	posted: string;
	left: string;
	/** Forecast range for future days; "" for past ones. */
	likely: string;
	estimate: boolean;
}

const usd = (micro: bigint) => Number(micro) / 1e6;

/** Computes the remaining budget per day with its forecast. `nowMs` null: the period has ended. */
export function prepareBurnDown(input: Input, nowMs: number | null): BurnDown {
	const cap = usd(input.capMicroUsd);
	const { periodStartMs, periodEndMs } = input;
	const endMs = nowMs === null ? periodEndMs : Math.min(nowMs, periodEndMs);
	const left = usd(input.capMicroUsd - input.postedMicroUsd);
	const held = usd(input.heldMicroUsd);
	const known: BurnDownRow[] = leftByDay(input).map((step) => ({ atMs: Math.min(endMs, step.atMs + DAY_MS / 2), left: step.left }));
	const ahead: BurnDownRow[] = (nowMs === null ? [] : input.ahead).map((a) => ({
		atMs: a.atMs,
		range: [cap - usd(a.highMicroUsd), cap - usd(a.lowMicroUsd)],
		middle: cap - usd(a.expectedMicroUsd),
	}));
	const start: BurnDownRow = ahead.length > 0 ? { atMs: endMs, range: [left, left], middle: left } : { atMs: endMs };
	return {
		rows: [
			{ atMs: periodStartMs, pace: cap, ...(known.length > 0 && { left: cap }) },
			...known,
			{ ...start, ...(known.length > 0 && { left }) },
			...ahead,
			{ atMs: periodEndMs, pace: 0 },
		],
		now: nowMs === null ? null : { atMs: endMs, left, held },
		endLabels: nowMs === null ? [] : endLabels(input),
		lowest: Math.min(0, left - held, ...ahead.map((row) => row.range?.[0] ?? 0)),
	};
}

/** A day's spend is drawn at midday because its time is unknown here. */
function leftByDay({ days, capMicroUsd }: Input): { atMs: number; left: number }[] {
	let left = capMicroUsd;
	return days.map((day) => {
		left -= day.postedMicroUsd;
		return { atMs: day.dayStartMs, left: usd(left) };
	});
}

function endLabels({ capMicroUsd, forecast }: Input): BurnDown["endLabels"] {
	if (!forecast) return [];
	const at = (id: string, spent: bigint, words: string) => {
		const left = capMicroUsd - spent;
		const amount = formatMoney(left < 0n ? -left : left, "whole");
		return { id, value: usd(left), over: left < 0n, strong: id === "middle", text: `${amount} ${left < 0n ? "over" : "left"}${words}` };
	};
	const middle = at("middle", forecast.expectedMicroUsd, "");
	if (forecast.lowMicroUsd === forecast.highMicroUsd) return [middle];
	return [at("best", forecast.lowMicroUsd, ", best case"), middle, at("worst", forecast.highMicroUsd, ", worst case")];
}

/** About `count` days of the period to label. */
export function burnDownTicks({ periodStartMs, periodEndMs }: Pick<Input, "periodStartMs" | "periodEndMs">, count: number): number[] {
	const days = Math.round((periodEndMs - periodStartMs) / DAY_MS);
	const every = days <= 31 ? Math.max(1, Math.round(days / count)) : Math.round(days / count / 10) * 10 || 10;
	return Array.from({ length: Math.ceil((days - every / 2) / every) }, (_, i) => periodStartMs + i * every * DAY_MS);
}

/** The chart as a table: posted and remaining per day, and the median forecast for future days. */
export function burnDownDays(input: Input): BurnDownDay[] {
	let left = input.capMicroUsd;
	const labelOf = (date: string) => formatDay(shownMs(date));
	// Counted from the period's first day because days may have 23 or 25 hours and start at any UTC hour.
	const dateAt = (atMs: number, more = 0) => addDays(input.periodKey, Math.round((atMs - input.periodStartMs) / DAY_MS) + more);
	const past = input.days.map((day): BurnDownDay => {
		left -= day.postedMicroUsd;
		const date = dateAt(day.dayStartMs);
		return {
			...{ id: String(day.dayStartMs), date, label: labelOf(date) },
			posted: formatMoney(day.postedMicroUsd, "posted"),
			left: formatMoney(left, "posted"),
			likely: "",
			estimate: false,
		};
	});
	let before = input.postedMicroUsd;
	// The first entry is the rest of today.
	const ahead = input.ahead.map((a, i): BurnDownDay => {
		const date = dateAt(a.atMs, -1);
		const label = labelOf(date);
		const row = {
			...{ id: `${a.atMs}-ahead`, date, label: i === 0 ? `${label}, rest of day` : label, estimate: true },
			posted: formatMoney(a.expectedMicroUsd - before, "estimate"),
			left: formatMoney(input.capMicroUsd - a.expectedMicroUsd, "estimate"),
			likely: [a.highMicroUsd, a.lowMicroUsd].map((spent) => formatMoney(input.capMicroUsd - spent, "estimate")).join(" to "),
		};
		before = a.expectedMicroUsd;
		return row;
	});
	return [...past, ...ahead];
}
