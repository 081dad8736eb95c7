"use client";
import { useCallback } from "react";
import { prepareCarbonBars } from "#components/carbon/prepare-bars.ts";
import { type CarbonView, chargesOf } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { StackedBarsChart } from "#components/charts/stacked-bars-chart.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { clipped } from "#components/spend/drill.ts";
import { addDays, monthStart, startOfDate } from "#components/spend/zone-days.ts";
import { useTime } from "#components/time/clock.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

/**
 * Emissions per day or month: owned in use, owned idle, clouds, and embodied on top. Select a bar to see its charges.
 */
export function CarbonDays({ view }: { view: CarbonView }) {
	const { series } = useCarbon(view).page;
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS, []));
	if (series.totals.gpuMs === 0n) {
		return (
			<EmptyState icon="carbon" title="No usage in this range" className="py-16">
				Submit a job or choose a longer range.
			</EmptyState>
		);
	}
	const input = prepareCarbonBars(series, nowMs);
	const bucket = series.groupBy === "month" ? "month" : "day";
	const hrefOf = (index: number): string | null => {
		const bar = input.bars[index];
		if (!bar || bar.posted.length === 0) return null;
		const [fromMs = 0, toMs = 0] = [bar.id, bucket === "month" ? monthStart(bar.id, 1) : addDays(bar.id, 1)].map((d) =>
			startOfDate(d, view.zone),
		);
		return chargesOf(view, { span: clipped({ fromMs, toMs }, series) });
	};
	return <StackedBarsChart input={input} label={`CO2e per ${bucket}`} height={400} bucket={bucket} chargesOf={hrefOf} />;
}
