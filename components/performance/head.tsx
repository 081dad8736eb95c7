"use client";
import { changeFrom, failureShare, gpuHours, lostHours, span, use } from "#components/performance/figures.ts";
import { type PerformancePage, usePerformance } from "#components/performance/use-performance.ts";
import type { PerformanceView } from "#components/performance/view.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";

const METERS: Record<PerformancePage["groups"]["meters"][number], string> = {
	agent: "cloud agents",
	dcgm: "DCGM",
	nvidia_smi: "nvidia-smi",
	simulated: "simulated at home",
};

/** Models, time to model, wait, utilization and lost GPU time, each next to the previous period. */
export function PerformanceHead({ view }: { view: PerformanceView }) {
	const { groups, before } = usePerformance(view);
	const { totals } = groups;
	const failures = failureShare(totals);
	const lost = lostHours(totals);
	return (
		<FactStrip columns="1.1fr 1.2fr 1.2fr 1.1fr 1.1fr 1.1fr" framed={false} className="mt-1">
			<Fact label="Models finished" lead wide note={changeFrom(totals.models, before.totals.models)}>
				{formatCount(totals.models)}
			</Fact>
			<Fact
				label="Time to model, mean"
				note={`P50 ${span(totals.timeToModel?.p50S)}; ${changeFrom(totals.timeToModel?.meanS, before.totals.timeToModel?.meanS)}`}
			>
				{span(totals.timeToModel?.meanS)}
			</Fact>
			<Fact label="Wait, P95" note={`P50 ${span(totals.waits?.p50S)}; ${changeFrom(totals.waits?.p95S, before.totals.waits?.p95S)}`}>
				{span(totals.waits?.p95S)}
			</Fact>
			<Fact
				label="GPU utilization"
				note={groups.meters.length === 0 ? "no meter reports" : groups.meters.map((meter) => METERS[meter]).join(", ")}
			>
				{use(totals.gpuUtilisation)}
			</Fact>
			<Fact
				label="Lost GPU-hours"
				note={totals.gpuHours > 0 ? `${formatPercent(lost / totals.gpuHours)} of ${gpuHours(totals.gpuHours)}` : undefined}
			>
				{gpuHours(lost)}
			</Fact>
			<Fact label="Failed jobs" note={failures === null ? undefined : `${formatPercent(failures)} of finished jobs`}>
				{formatCount(totals.failed)}
			</Fact>
		</FactStrip>
	);
}
