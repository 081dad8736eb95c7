"use client";
import { useCallback } from "react";
import { prepareCarbonBars } from "#components/carbon/prepare-bars.ts";
import type { CarbonView } from "#components/carbon/range.ts";
import { useCarbon } from "#components/carbon/use-carbon.ts";
import { StackedBarsChart } from "#components/charts/stacked-bars-chart.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { useTime } from "#components/time/clock.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** Emissions by day or month: home in use, home idle, clouds, and the machines' manufacture on top. */
export function CarbonDays({ view }: { view: CarbonView }) {
	const { series } = useCarbon(view).page;
	const nowMs = useTime(useCallback((now: number) => Math.floor(now / MINUTE_MS) * MINUTE_MS, []));
	if (series.totals.gpuMs === 0n) {
		return (
			<EmptyState icon="carbon" title="Nothing was metered in this range" className="py-16">
				Each hour of a GPU becomes energy, and by its grid CO2, as soon as it is charged. Submit a job, or choose a longer range above.
			</EmptyState>
		);
	}
	return <StackedBarsChart input={prepareCarbonBars(series, nowMs)} label={`CO2e by ${series.groupBy}`} height={400} />;
}
