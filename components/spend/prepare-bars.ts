import type { BarsInput, BarValue } from "#components/charts/stacked-bars.ts";
import { formatMoney } from "#components/money/format-money.ts";
import type { SpendPage } from "#components/spend/prepare-table.ts";
import { formatClock, formatDay } from "#components/time/format-time.ts";
import type { MarkFill } from "#components/ui/meter.tsx";
import { DAY_MS } from "#server/kernel/units.ts";

type Day = SpendPage["days"][number];

/** The flat base first: hardware in use, hardware idle, then what the cloud added. */
const SERIES = [
	{ id: "used", label: "Owned, used", fill: "owned", amount: (d: Day) => d.ownedMicroUsd },
	{ id: "idle", label: "Owned, idle", fill: "idle", amount: (d: Day) => d.idleMicroUsd },
	{ id: "reserved", label: "Reserved", fill: "reserved", amount: (d: Day) => d.reservedMicroUsd },
	{ id: "spot", label: "Spot", fill: "spot", amount: (d: Day) => d.spotMicroUsd },
	{ id: "on_demand", label: "On demand", fill: "on_demand", amount: (d: Day) => d.onDemandMicroUsd },
] as const satisfies readonly { id: string; label: string; fill: MarkFill; amount: (d: Day) => bigint }[];

/** Days of the range as bars. Series that cost nothing on any day are left out. */
export function prepareSpendBars(days: readonly Day[], nowMs: number): BarsInput {
	const series = SERIES.filter((s) => days.some((d) => s.amount(d) !== 0n));
	const every = days.length > 40 ? 7 : days.length > 12 ? 5 : 1;
	return {
		axis: "usd",
		series: series.map(({ id, label, fill }) => ({ id, label, fill })),
		bars: days.map((day, i) => {
			const today = day.dayStartMs <= nowMs && nowMs < day.dayStartMs + DAY_MS;
			const date = new Date(day.dayStartMs).getUTCDate();
			const tick = today
				? "today"
				: i === 0 || date === 1
					? formatDay(day.dayStartMs, false)
					: every === 1
						? formatDay(day.dayStartMs, false)
						: date % every === 0 && date < 30
							? String(date)
							: "";
			return {
				id: String(day.dayStartMs),
				label: today ? `Today to ${formatClock(nowMs)}` : formatDay(day.dayStartMs),
				...(tick ? { tick } : {}),
				posted: series.map(
					(s): BarValue => ({ seriesId: s.id, value: Number(s.amount(day)) / 1e6, text: formatMoney(s.amount(day), "posted") }),
				),
				forecast: [],
				done: 1,
				partial: today,
			};
		}),
	};
}
