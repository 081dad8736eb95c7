import { formatMoney } from "#components/money/format-money.ts";
import type { CapacityKind } from "#components/place/place.tsx";
import { formatSpan } from "#components/time/format-time.ts";
import { formatCount, formatPercent, formatThreeDigits } from "#components/ui/format-number.ts";
import type { BacktestMove, BacktestResult, BacktestSums } from "#server/domain/backtest.ts";

/** A backtest figure: change, both amounts and daily differences. */
export interface Figure {
	id: string;
	label: string;
	/** "$3,260" or "the same". */
	amount: string;
	/** "less", "longer"; empty without a change. */
	word: string;
	tone: "good" | "bad" | "same";
	pair: string;
	/** One per day; null without comparable data. Empty if not daily. */
	days: (number | null)[];
	/** Label of the largest difference. */
	dayText: (value: number) => string;
}

/** Figures in reading order; money in dollars, time in ms, CO2e in grams. */
export function prepareFigures({ published: p, draft: d }: Pick<BacktestResult, "published" | "draft">): Figure[] {
	const micro = BigInt(d.cloudCostMicroUsd) - BigInt(p.cloudCostMicroUsd);
	const money = (value: bigint | string) => formatMoney(value, "whole");
	const byDay = (of: (day: BacktestSums["days"][number]) => number | null) => differences(p.days.map(of), d.days.map(of));
	const utilisation = d.ownedUtilisation - p.ownedUtilisation;
	return [
		{
			id: "cost",
			label: "Cloud cost",
			...changed(Number(micro), money(micro < 0n ? -micro : micro), ["less", "more"], "down"),
			pair: `${money(p.cloudCostMicroUsd)} → ${money(d.cloudCostMicroUsd)}`,
			days: byDay((day) => Number(day.cloudCostMicroUsd) / 1e6),
			dayText: (value) => signed(value, (v) => money(BigInt(Math.round(v * 1e6)))),
		},
		{
			id: "wait",
			label: "95th percentile wait",
			...changed(d.p95WaitMs - p.p95WaitMs, formatSpan(Math.abs(d.p95WaitMs - p.p95WaitMs)), ["shorter", "longer"], "down"),
			pair: `${formatSpan(p.p95WaitMs)} → ${formatSpan(d.p95WaitMs)}, average ${formatSpan(p.meanWaitMs)} → ${formatSpan(d.meanWaitMs)}`,
			days: byDay((day) => day.meanWaitMs),
			dayText: (value) => `${signed(value, formatSpan)} on average`,
		},
		{
			id: "misses",
			label: "Missed deadlines",
			...changed(
				d.missedDeadlines - p.missedDeadlines,
				formatCount(Math.abs(d.missedDeadlines - p.missedDeadlines)),
				["fewer", "more"],
				"down",
			),
			pair: `${formatCount(p.missedDeadlines)} → ${formatCount(d.missedDeadlines)} of ${formatCount(d.deadlines)} due`,
			days: byDay((day) => day.missedDeadlines),
			dayText: (value) => signed(value, formatCount),
		},
		{
			id: "co2",
			label: "CO2e, owned and cloud",
			...emissions(p.emissionsGrams, d.emissionsGrams),
			days: byDay((day) => day.emissionsGrams),
			dayText: (value) => signed(value, weight),
		},
		{
			id: "utilisation",
			label: "Owned GPUs in use",
			...changed(utilisation, formatPercent(Math.abs(utilisation)).replace("%", " points"), ["less", "more"], "up"),
			pair: `${formatPercent(p.ownedUtilisation)} → ${formatPercent(d.ownedUtilisation)}`,
			days: [],
			dayText: String,
		},
		{
			id: "egress",
			label: "Egress",
			...changed(d.egressGiB - p.egressGiB, `${formatThreeDigits(Math.abs(d.egressGiB - p.egressGiB))} GiB`, ["less", "more"], "down"),
			pair: `${formatThreeDigits(p.egressGiB)} → ${formatThreeDigits(d.egressGiB)} GiB`,
			days: [],
			dayText: String,
		},
	];
}

function changed(
	by: number,
	amount: string,
	[less, more]: [string, string],
	good: "up" | "down",
): Pick<Figure, "amount" | "word" | "tone"> {
	if (by === 0) return { amount: "No change", word: "", tone: "same" };
	return { amount, word: by < 0 ? less : more, tone: by > 0 === (good === "up") ? "good" : "bad" };
}

function emissions(from: number | null, to: number | null): Pick<Figure, "amount" | "word" | "tone" | "pair"> {
	if (from === null || to === null) return { amount: "Unknown", word: "", tone: "same", pair: "the grid of some place is not known" };
	return { ...changed(to - from, weight(Math.abs(to - from)), ["less", "more"], "down"), pair: `${weight(from)} → ${weight(to)}` };
}

function weight(grams: number): string {
	if (grams >= 1e6) return `${formatThreeDigits(grams / 1e6)} t`;
	return grams >= 1e3 ? `${formatThreeDigits(grams / 1e3)} kg` : `${Math.round(grams)} g`;
}

function signed(value: number, text: (abs: number) => string): string {
	return `${value < 0 ? "−" : "+"}${text(Math.abs(value))}`;
}

function differences(from: readonly (number | null)[], to: readonly (number | null)[]): (number | null)[] {
	return to.map((value, i) => {
		const before = from[i] ?? null;
		return value === null || before === null ? null : value - before;
	});
}

export type MoveFilter = "all" | "later" | "late";

export interface MoveRow {
	move: BacktestMove;
	costMicroUsd: bigint;
	/** null: one of them had not started by the end. */
	waitMs: number | null;
	grams: number | null;
	/** Slack under the draft, negative if late; null without a deadline or if unfinished. */
	spareMs: number | null;
	newlyLate: boolean;
}

export function prepareMoves(moved: readonly BacktestMove[], toMs: number): MoveRow[] {
	return moved.map((move) => {
		const { published: p, draft: d, deadlineAtMs } = move;
		const late = (finishedAtMs: number | null) => deadlineAtMs !== null && deadlineAtMs < (finishedAtMs ?? toMs);
		return {
			move,
			costMicroUsd: BigInt(d.costMicroUsd) - BigInt(p.costMicroUsd),
			waitMs: p.waitMs === null || d.waitMs === null ? null : d.waitMs - p.waitMs,
			grams: p.emissionsGrams === null || d.emissionsGrams === null ? null : d.emissionsGrams - p.emissionsGrams,
			spareMs: deadlineAtMs === null || d.finishedAtMs === null ? null : deadlineAtMs - d.finishedAtMs,
			newlyLate: late(d.finishedAtMs) && !late(p.finishedAtMs),
		};
	});
}

export function matches(row: MoveRow, filter: MoveFilter): boolean {
	if (filter === "all") return true;
	return filter === "late" ? row.newlyLate : row.move.draft.waitMs === null || (row.waitMs ?? 0) > 0;
}

/** "+$12", "−3 kg"; a dash for zero. */
export function signedWeight(grams: number | null): string {
	return grams === null ? "unknown" : Math.round(grams) === 0 ? "0" : signed(grams, weight);
}

export function signedSpan(ms: number | null): string {
	return ms === null ? "not started" : ms === 0 ? "0 min" : signed(ms, formatSpan);
}

/** The kind of capacity of a backtest location, which is text such as "at home" or "aws us-east-1 p4d.24xlarge spot". */
export function capacityOf(place: string): CapacityKind {
	if (/^(at home|owned)/.test(place)) return "owned";
	const word = place.slice(place.lastIndexOf(" ") + 1);
	return word === "spot" || word === "reserved" ? word : "on_demand";
}

export interface GroupRow {
	id: string;
	team: string;
	workloadClass: string;
	jobs: number;
	publishedMs: number | null;
	draftMs: number | null;
}

/** Average waits of each team and class under both, largest change first. */
export function prepareWaits({ published, draft }: Pick<BacktestResult, "published" | "draft">): GroupRow[] {
	const keyOf = (w: BacktestSums["waits"][number]) => `${w.team}\n${w.class}`;
	const before = new Map(published.waits.map((w) => [keyOf(w), w]));
	const rows = draft.waits.map((w) => ({
		id: keyOf(w),
		...{ team: w.team, workloadClass: w.class, jobs: w.jobs },
		publishedMs: before.get(keyOf(w))?.meanWaitMs ?? null,
		draftMs: w.meanWaitMs,
	}));
	const change = (row: GroupRow) => Math.abs((row.draftMs ?? 0) - (row.publishedMs ?? 0));
	return rows.sort((a, b) => change(b) - change(a));
}

export interface BudgetRow {
	id: string;
	budget: string;
	from: string;
	published: string | null;
	draft: string | null;
}

/** Budget totals per period; null if the policy has no such budget or nothing was spent. */
export function prepareBudgets({ published, draft }: Pick<BacktestResult, "published" | "draft">): BudgetRow[] {
	const keyOf = (b: BacktestSums["budgets"][number]) => `${b.id} ${b.periodKey}`;
	const textOf = (b: BacktestSums["budgets"][number] | undefined) =>
		b ? `${formatMoney(b.postedMicroUsd, "whole")} of ${formatMoney(b.capMicroUsd, "whole")}` : null;
	const all = new Map([...published.budgets, ...draft.budgets].map((b) => [keyOf(b), b]));
	return [...all]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([id, b]) => ({
			...{ id, budget: b.id, from: b.periodKey },
			published: textOf(published.budgets.find((x) => keyOf(x) === id)),
			draft: textOf(draft.budgets.find((x) => keyOf(x) === id)),
		}));
}
