import type { BudgetDetail } from "#components/budgets/params.ts";
import { linear, niceStep, px } from "#components/charts/scale.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { addDays, shownMs } from "#components/spend/zone-days.ts";
import { formatDay } from "#components/time/format-time.ts";
import { DAY_MS } from "#server/kernel/units.ts";

type Input = Pick<
	BudgetDetail,
	"days" | "ahead" | "capMicroUsd" | "postedMicroUsd" | "heldMicroUsd" | "periodKey" | "periodStartMs" | "periodEndMs" | "forecast"
>;

export interface BurnDownPicture {
	margin: { left: number; right: number; top: number; bottom: number };
	yTicks: { y: number; dollars: number }[];
	xTicks: { x: number; text: string }[];
	zeroY: number;
	/** What is left, a step at the end of each day. */
	line: string;
	/** From the whole cap at the start to nothing at the end. */
	evenPace: string;
	/** The likely range of what is left, and its middle; null without a forecast. */
	ahead: { area: string; middle: string } | null;
	now: { x: number; y: number } | null;
	/** What is held, hanging below what is not posted. */
	held: { x: number; y: number; height: number } | null;
	endLabels: { id: string; text: string; y: number; over: boolean }[];
	/** Below zero the cap is passed. */
	passes: boolean;
}

export interface BurnDownDay {
	id: string;
	/** `2026-11-30`, of the ledger's calendar. */
	date: string;
	label: string;
	/** Day over, or today so far. */
	posted: string;
	left: string;
	/** Of a day to come: from the worst to the best of what is likely left; "" of what is known. */
	likely: string;
	estimate: boolean;
}

const usd = (micro: bigint) => Number(micro) / 1e6;

/** What is left of a cap, day by day, and where it is heading. `nowMs` null: the period is over. */
export function prepareBurnDown(input: Input, nowMs: number | null, box: { width: number; height: number }): BurnDownPicture {
	const narrow = box.width < 520;
	const margin = { left: 52, right: narrow ? 14 : 132, top: 14, bottom: 26 };
	const cap = usd(input.capMicroUsd);
	const lows = [usd(input.capMicroUsd - input.postedMicroUsd - input.heldMicroUsd), ...input.ahead.map((a) => cap - usd(a.highMicroUsd))];
	const bottom = Math.min(0, ...lows);
	const step = niceStep(Math.max(cap - bottom, 1e-6), 6);
	const from = Math.floor(bottom / step) * step;
	const top = Math.max(cap, step);
	const y = linear(from, top, box.height - margin.bottom, margin.top);
	const x = linear(input.periodStartMs, input.periodEndMs, margin.left, box.width - margin.right);
	const steps = leftByDay(input);
	const nowX = nowMs === null ? x(input.periodEndMs) : x(Math.min(nowMs, input.periodEndMs));
	const left = usd(input.capMicroUsd - input.postedMicroUsd);
	return {
		...{ margin, zeroY: y(0), passes: from < 0 },
		yTicks: ticksOf(from, top, step).map((dollars) => ({ dollars, y: y(dollars) })),
		xTicks: xTicksOf(input, x, narrow),
		line: stepLine(steps, cap, x, y, nowX),
		evenPace: `M${px(x(input.periodStartMs))} ${px(y(cap))}L${px(x(input.periodEndMs))} ${px(y(0))}`,
		ahead: nowMs === null || input.ahead.length === 0 ? null : aheadOf(input, { x: nowX, left }, x, y),
		now: nowMs === null ? null : { x: nowX, y: y(left) },
		held: nowMs === null || input.heldMicroUsd <= 0n ? null : { x: nowX, y: y(left), height: y(left - usd(input.heldMicroUsd)) - y(left) },
		endLabels: narrow || nowMs === null ? [] : endLabels(input, y),
	};
}

function leftByDay({ days, capMicroUsd }: Input): { atMs: number; left: number }[] {
	let left = capMicroUsd;
	return days.map((day) => {
		left -= day.postedMicroUsd;
		return { atMs: day.dayStartMs, left: usd(left) };
	});
}

/** A day's spend is drawn at its middle: when on that day it came is not known here. The last one ends where the known ends. */
function stepLine(
	steps: readonly { atMs: number; left: number }[],
	cap: number,
	x: (v: number) => number,
	y: (v: number) => number,
	endX: number,
): string {
	const first = steps[0];
	if (!first) return "";
	const half = 43_200_000;
	const drops = steps.map((s) => `H${px(Math.min(endX, x(s.atMs + half)))}V${px(y(s.left))}`);
	return `M${px(x(first.atMs))} ${px(y(cap))}${drops.join("")}H${px(endX)}`;
}

function aheadOf(input: Input, now: { x: number; left: number }, x: (v: number) => number, y: (v: number) => number) {
	const cap = usd(input.capMicroUsd);
	const points = input.ahead.map((a) => ({
		x: x(a.atMs),
		best: cap - usd(a.lowMicroUsd),
		mid: cap - usd(a.expectedMicroUsd),
		worst: cap - usd(a.highMicroUsd),
	}));
	const start = `${px(now.x)} ${px(y(now.left))}`;
	const best = points.map((p) => `L${px(p.x)} ${px(y(p.best))}`).join("");
	const worst = points.toReversed().map((p) => `L${px(p.x)} ${px(y(p.worst))}`);
	return { area: `M${start}${best}${worst.join("")}Z`, middle: `M${start}${points.map((p) => `L${px(p.x)} ${px(y(p.mid))}`).join("")}` };
}

function endLabels({ capMicroUsd, forecast }: Input, y: (v: number) => number): BurnDownPicture["endLabels"] {
	if (!forecast) return [];
	const at = (id: string, spent: bigint, words: string) => {
		const left = capMicroUsd - spent;
		const amount = formatMoney(left < 0n ? -left : left, "whole");
		return { id, y: y(usd(left)), over: left < 0n, text: `${amount} ${left < 0n ? "over" : "left"}${words}` };
	};
	const wanted = [
		at("best", forecast.lowMicroUsd, ", at best"),
		at("middle", forecast.expectedMicroUsd, ""),
		at("worst", forecast.highMicroUsd, ", at worst"),
	];
	if (forecast.lowMicroUsd === forecast.highMicroUsd) return [{ ...(wanted[1] ?? at("middle", forecast.expectedMicroUsd, "")) }];
	// Labels keep a line's height between them, around the middle one.
	const middle = wanted[1]?.y ?? 0;
	return wanted.map((w) => ({
		...w,
		y: w.id === "best" ? Math.min(w.y, middle - 15) : w.id === "worst" ? Math.max(w.y, middle + 15) : w.y,
	}));
}

function ticksOf(from: number, top: number, step: number): number[] {
	const ticks: number[] = [];
	for (let n = Math.round(from / step); n * step <= top * 1.0001; n++) ticks.push(Number((n * step).toPrecision(12)));
	return ticks;
}

function xTicksOf({ periodStartMs, periodEndMs }: Input, x: (v: number) => number, narrow: boolean): BurnDownPicture["xTicks"] {
	const days = Math.round((periodEndMs - periodStartMs) / 86_400_000);
	const count = narrow ? 3 : 6;
	const every = days <= 31 ? Math.max(1, Math.round(days / count)) : Math.round(days / count / 10) * 10 || 10;
	const ticks: BurnDownPicture["xTicks"] = [];
	for (let day = 0; day < days - every / 2; day += every) {
		const atMs = periodStartMs + day * 86_400_000;
		ticks.push({ x: x(atMs), text: formatDay(atMs + 43_200_000, false) });
	}
	return ticks;
}

/** The chart as a table: each day with what was posted and what was left; days to come with the middle of the forecast. */
export function burnDownDays(input: Input): BurnDownDay[] {
	let left = input.capMicroUsd;
	const labelOf = (date: string) => formatDay(shownMs(date));
	// Counted from the period's first day: a day may have 23 or 25 hours, and may begin at any hour of UTC.
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
	// The first one is the rest of today.
	const ahead = input.ahead.map((a, i): BurnDownDay => {
		const date = dateAt(a.atMs, -1);
		const label = labelOf(date);
		const row = {
			...{ id: `${a.atMs}-ahead`, date, label: i === 0 ? `${label}, rest of the day` : label, estimate: true },
			posted: formatMoney(a.expectedMicroUsd - before, "estimate"),
			left: formatMoney(input.capMicroUsd - a.expectedMicroUsd, "estimate"),
			likely: [a.highMicroUsd, a.lowMicroUsd].map((spent) => formatMoney(input.capMicroUsd - spent, "estimate")).join(" to "),
		};
		before = a.expectedMicroUsd;
		return row;
	});
	return [...past, ...ahead];
}
