import { formatCarbonParts, joinQuantity } from "#components/carbon/format-carbon.ts";
import type { BarsInput, BarValue } from "#components/charts/stacked-bars.ts";
import { formatClock, formatDay, formatMonth } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import type { MarkFill } from "#components/ui/meter.tsx";
import { DAY_MS } from "#server/kernel/units.ts";

export type CarbonPage = Outputs["carbon"]["page"];
type Item = CarbonPage["series"]["items"][number];

const SERIES = [
	{ id: "home", label: "Home, in use", fill: "carbon", amount: (i: Item) => i.owned.operationalMilligrams },
	{ id: "idle", label: "Home, idle", fill: "idle", amount: (i: Item) => i.idle.operationalMilligrams },
	{ id: "cloud", label: "Cloud", fill: "carbon_soft", amount: (i: Item) => i.cloud.operationalMilligrams },
	{ id: "embodied", label: "Manufacture", fill: "embodied", amount: (i: Item) => i.embodiedMilligrams },
] as const satisfies readonly { id: string; label: string; fill: MarkFill; amount: (i: Item) => bigint }[];

/** Every day (or month) of the range as a bar; a day without charges is a gap, because nothing was metered on it. */
export function prepareCarbonBars(series: CarbonPage["series"], nowMs: number): BarsInput {
	const shown = SERIES.filter((s) => series.items.some((item) => s.amount(item) !== 0n));
	const byKey = new Map(series.items.map((item) => [item.key, item]));
	const months = series.groupBy === "month";
	const keys = months ? series.items.map((item) => item.key) : daysBetween(series.fromMs, Math.min(series.toMs, nowMs + 1));
	const every = months ? 1 : keys.length > 40 ? 7 : keys.length > 12 ? 5 : 1;
	return {
		axis: "kg",
		series: shown.map(({ id, label, fill }) => ({ id, label, fill })),
		bars: keys.map((key, i) => {
			const startMs = Date.parse(`${key}T00:00:00Z`);
			const today = !months && startMs <= nowMs && nowMs < startMs + DAY_MS;
			const item = byKey.get(key);
			return {
				id: key,
				label: months ? formatMonth(startMs) : today ? `Today to ${formatClock(nowMs)}` : formatDay(startMs),
				...tickOf(startMs, { months, today, first: i === 0, every }),
				posted: item ? shown.map((s) => barValue(s.id, s.amount(item))) : [],
				forecast: [],
				done: 1,
				partial: today,
			};
		}),
	};
}

function barValue(seriesId: string, milligrams: bigint): BarValue {
	return { seriesId, value: Number(milligrams) / 1e6, text: joinQuantity(formatCarbonParts(Number(milligrams) / 1_000)) };
}

function daysBetween(fromMs: number, toMs: number): string[] {
	const days: string[] = [];
	for (let at = Math.floor(fromMs / DAY_MS) * DAY_MS; at < toMs; at += DAY_MS) days.push(new Date(at).toISOString().slice(0, 10));
	return days;
}

function tickOf(startMs: number, at: { months: boolean; today: boolean; first: boolean; every: number }): { tick?: string } {
	if (at.months) return { tick: formatMonth(startMs).slice(0, 3) };
	if (at.today) return { tick: "today" };
	const date = new Date(startMs).getUTCDate();
	if (at.first || date === 1 || at.every === 1) return { tick: formatDay(startMs, false) };
	return date % at.every === 0 && date < 30 ? { tick: String(date) } : {};
}
