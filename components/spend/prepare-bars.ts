import type { Bar, BarsInput, BarValue, PreviousBars } from "#components/charts/stacked-bars.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { bucketLabel, type SpendPage } from "#components/spend/prepare-table.ts";
import { formatClock, formatDay, formatMonth } from "#components/time/format-time.ts";
import type { MarkFill } from "#components/ui/meter.tsx";
import type { ChartSeriesId, Hideable } from "./view.ts";
import { dateOf, shownMs } from "./zone-days.ts";

type Point = SpendPage["series"]["points"][number];
type ForecastDay = SpendPage["forecast"]["days"][number];
type Parts = Pick<Point, "ownedMicroUsd" | "idleMicroUsd" | "reservedMicroUsd" | "spotMicroUsd" | "onDemandMicroUsd">;

/** Owned in use, owned idle, then cloud. */
const SERIES = [
	{ id: "used", label: "Owned, used", fill: "owned", field: "ownedMicroUsd" },
	{ id: "idle", label: "Owned, idle", fill: "idle", field: "idleMicroUsd" },
	{ id: "reserved", label: "Reserved", fill: "reserved", field: "reservedMicroUsd" },
	{ id: "spot", label: "Spot", fill: "spot", field: "spotMicroUsd" },
	{ id: "on_demand", label: "On demand", fill: "on_demand", field: "onDemandMicroUsd" },
] as const satisfies readonly { id: ChartSeriesId; label: string; fill: MarkFill; field: keyof Parts }[];
type Series = (typeof SERIES)[number];

interface BarsContext {
	nowMs: number;
	/** The range continues to the month's end with forecast days. */
	toMonthEnd: boolean;
}
type BarsOf = { series: SpendPage["series"]; forecast: SpendPage["forecast"]["days"]; ledgerStartMs: number | null };

/**
 * Converts buckets to bars: posted in full color, forecast pale with its range. Buckets before the first charge are
 * gaps. Series without cost are omitted.
 */
export function prepareSpendBars({ series: { zone, bucket, points }, forecast, ledgerStartMs }: BarsOf, context: BarsContext): BarsInput {
	const { nowMs, toMonthEnd } = context;
	const ahead = toMonthEnd && bucket === "day" ? forecast : [];
	const toCome = new Map(ahead.map((day) => [day.dayStartMs, day]));
	const series = SERIES.filter((s) => points.some((p) => p[s.field] !== 0n) || ahead.some((d) => d[s.field] !== 0n));
	const known = points.map((point): Bar => {
		const day = dateOf(point.fromMs, zone);
		const running = point.fromMs <= nowMs && nowMs < point.toMs;
		const rest = running ? toCome.get(point.fromMs) : undefined;
		const missing = ledgerStartMs === null || point.toMs <= ledgerStartMs;
		const label = bucketLabel(day, bucket);
		return {
			id: day,
			label: running
				? `${bucket === "day" ? "Today" : label} to ${zone === "UTC" ? formatClock(nowMs) : "now"}`
				: missing
					? `${label}: no data`
					: label,
			posted: missing ? [] : valuesOf(point, series),
			forecast: rest ? valuesOf(rest, series, true) : [],
			done: rest ? (nowMs - point.fromMs) / (point.toMs - point.fromMs) : 1,
			...(rest ? { range: rangeOf(rest, point.totalMicroUsd) } : {}),
			partial: running && !rest,
		};
	});
	const last = points.at(-1)?.fromMs ?? Number.POSITIVE_INFINITY;
	const coming = ahead
		.filter((d) => d.dayStartMs > last)
		.map((day): Bar => {
			const date = dateOf(day.dayStartMs, zone);
			return {
				id: date,
				label: bucketLabel(date, "day"),
				posted: [],
				forecast: valuesOf(day, series, true),
				done: 0,
				range: rangeOf(day, 0n),
			};
		});
	const bars = withTicks([...known, ...coming], bucket, dateOf(nowMs, zone));
	return { axis: "usd", series: series.map(({ id, label, fill }) => ({ id, label, fill })), bars };
}

/** Totals of the previous period over the visible series; null before the ledger's start. */
export function preparePrevious(
	points: readonly Point[],
	{ ledgerStartMs, hide, label }: { ledgerStartMs: number | null; hide: readonly Hideable[]; label: string },
): PreviousBars {
	const shown = SERIES.filter(({ id }) => !hide.includes(id));
	const values = points.map((point) => {
		if (ledgerStartMs === null || point.toMs <= ledgerStartMs) return null;
		const total = shown.reduce((sum, { field }) => sum + point[field], 0n);
		return { value: Number(total) / 1e6, text: formatMoney(total, "posted") };
	});
	return { label, values };
}

function valuesOf(parts: Parts, series: readonly Series[], estimate = false): BarValue[] {
	return series.map((s) => ({
		seriesId: s.id,
		value: Number(parts[s.field]) / 1e6,
		text: formatMoney(parts[s.field], estimate ? "estimate" : "posted"),
	}));
}

function rangeOf({ lowMicroUsd, highMicroUsd }: ForecastDay, postedMicroUsd: bigint) {
	const [low, high] = [lowMicroUsd + postedMicroUsd, highMicroUsd + postedMicroUsd];
	return { low: Number(low) / 1e6, high: Number(high) / 1e6, text: `${formatMoney(low, "estimate")} to ${formatMoney(high, "estimate")}` };
}

function withTicks(bars: Bar[], bucket: SpendPage["series"]["bucket"], today: string): Bar[] {
	const every = bars.length > 40 ? 7 : bars.length > 12 ? 5 : 1;
	return bars.map((bar, i) => {
		const tick = bucket === "day" ? dayTick(bar.id, i, every, today) : bucketTick(bar.id, i, bucket);
		return tick ? { ...bar, tick } : bar;
	});
}

function dayTick(day: string, i: number, every: number, today: string): string {
	if (day === today) return "today";
	const date = Number(day.slice(8));
	if (i === 0 || date === 1 || every === 1) return formatDay(shownMs(day), false);
	return date % every === 0 && date < 30 ? String(date) : "";
}

function bucketTick(day: string, i: number, bucket: "week" | "month"): string {
	if (bucket === "week") return i % 2 === 0 ? formatDay(shownMs(day), false) : "";
	const [month = "", year = ""] = formatMonth(shownMs(day)).split(" ");
	return i === 0 || day.slice(5, 7) === "01" ? `${month.slice(0, 3)} ${year}` : month.slice(0, 3);
}
