import type { Bar, BarsInput, BarValue } from "#components/charts/stacked-bars.ts";
import { formatCarbonParts, joinQuantity } from "#components/emissions/format-carbon.ts";
import { isEstimate } from "#components/emissions/quality.ts";
import { bucketLabel } from "#components/spend/prepare-table.ts";
import { addDays, dateOf, monthStart, shownMs } from "#components/spend/zone-days.ts";
import { formatClock, formatDay, formatMonth } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import type { MarkFill } from "#components/ui/meter.tsx";

export type CarbonPage = Outputs["carbon"]["page"];
type Item = CarbonPage["series"]["items"][number];
type Part = { milligrams: bigint; estimate: boolean };

const inUse = (side: Item["owned"]): Part => ({ milligrams: side.operationalMilligrams, estimate: isEstimate(side) });

const SERIES = [
	{ id: "home", label: "Owned, in use", fill: "carbon", part: (i: Item) => inUse(i.owned) },
	{ id: "idle", label: "Owned, idle", fill: "idle", part: (i: Item) => inUse(i.idle) },
	{ id: "cloud", label: "Cloud", fill: "carbon_soft", part: (i: Item) => inUse(i.cloud) },
	// Embodied figures come from manufacturers and studies, spread over an assumed lifetime.
	{ id: "embodied", label: "Embodied", fill: "embodied", part: (i: Item) => ({ milligrams: i.embodiedMilligrams, estimate: true }) },
] as const satisfies readonly { id: string; label: string; fill: MarkFill; part: (i: Item) => Part }[];

/** One bar per day or month up to now. A period without charges is a gap because nothing was metered. */
export function prepareCarbonBars(series: CarbonPage["series"], nowMs: number): BarsInput {
	const { zone } = series;
	const shown = SERIES.filter((s) => series.items.some((item) => s.part(item).milligrams !== 0n));
	const byKey = new Map(series.items.map((item) => [item.key, item]));
	const bucket = series.groupBy === "month" ? ("month" as const) : ("day" as const);
	const keys = keysOf(bucket, dateOf(series.fromMs, zone), dateOf(Math.max(series.fromMs, Math.min(series.toMs - 1, nowMs)), zone));
	const every = bucket === "month" ? 1 : keys.length > 40 ? 7 : keys.length > 12 ? 5 : 1;
	const today = dateOf(nowMs, zone);
	return {
		axis: "kg",
		series: shown.map(({ id, label, fill }) => ({ id, label, fill })),
		bars: keys.map((key, i): Bar => {
			const running = bucket === "day" && key === today;
			const item = byKey.get(key);
			const label = running ? `Today to ${zone === "UTC" ? formatClock(nowMs) : "now"}` : bucketLabel(key, bucket);
			return {
				id: key,
				label: item ? label : `${label}: no data`,
				...tickOf(key, { bucket, running, first: i === 0, every }),
				posted: item ? shown.map((s) => barValue(s.id, s.part(item))) : [],
				forecast: [],
				done: 1,
				partial: running,
			};
		}),
	};
}

function barValue(seriesId: string, { milligrams, estimate }: Part): BarValue {
	const text = joinQuantity(formatCarbonParts(Number(milligrams) / 1_000));
	return { seriesId, value: Number(milligrams) / 1e6, text: estimate && milligrams !== 0n ? `≈ ${text}` : text };
}

/** First days of the buckets, inclusive. */
function keysOf(bucket: "day" | "month", from: string, to: string): string[] {
	const keys: string[] = [];
	for (let at = bucket === "month" ? monthStart(from) : from; at <= to; at = bucket === "month" ? monthStart(at, 1) : addDays(at, 1))
		keys.push(at);
	return keys;
}

function tickOf(key: string, at: { bucket: "day" | "month"; running: boolean; first: boolean; every: number }): { tick?: string } {
	if (at.bucket === "month") return { tick: formatMonth(shownMs(key)).slice(0, 3) };
	if (at.running) return { tick: "today" };
	const date = Number(key.slice(8));
	if (at.first || date === 1 || at.every === 1) return { tick: formatDay(shownMs(key), false) };
	return date % at.every === 0 && date < 30 ? { tick: String(date) } : {};
}
