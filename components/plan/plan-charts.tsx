"use client";
import dynamic from "next/dynamic";
import { useWidth } from "#components/charts/use-width.ts";
import { type Assessment, type Comparison, required, shortUsd } from "#components/plan/format-plan.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { KeyItem } from "#components/ui/meter.tsx";

/** Recharts loads after the page, so that it does not count toward the first load. */
const plots = () => import("#components/plan/plan-plots.tsx");
const CumulativePlot = dynamic(() => plots().then((m) => m.CumulativePlot), { ssr: false });
const LoadPlot = dynamic(() => plots().then((m) => m.LoadPlot), { ssr: false });
const CurvePlot = dynamic(() => plots().then((m) => m.CurvePlot), { ssr: false });
const WeekPlot = dynamic(() => plots().then((m) => m.WeekPlot), { ssr: false });

const HEIGHT = 300;
const FIRST_WIDTH = 620;

/** Payments of the shown option and of bursting, added up by month. */
export function CumulativeChart({ comparison, shown }: { comparison: Comparison; shown: string }) {
	const [ref, width] = useWidth(FIRST_WIDTH);
	const reference = required(comparison.options, comparison.reference);
	const option = required(comparison.options, shown);
	const last = (paid: readonly number[]): string => shortUsd(paid.at(-1) ?? 0);
	const text = `After ${comparison.horizonMonths} months: ${option.label} ${last(option.finance.cumulativeUsd)}, ${reference.label} ${last(reference.finance.cumulativeUsd)}.`;
	return (
		<figure>
			<div ref={ref} style={{ height: HEIGHT }} role="img" aria-label={text}>
				<CumulativePlot width={width} height={HEIGHT} option={option} reference={reference} />
			</div>
			<figcaption className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-2 text-ink-2">
				{option.id !== reference.id && (
					<KeyItem fill="owned">
						{option.label} <b className="tabular font-semibold text-ink">{last(option.finance.cumulativeUsd)}</b>
					</KeyItem>
				)}
				<KeyItem fill="on_demand">
					{reference.label} <b className="tabular font-semibold text-ink">{last(reference.finance.cumulativeUsd)}</b>
				</KeyItem>
			</figcaption>
		</figure>
	);
}

/** Load-duration curve with the capacity and the lines of demand. */
export function LoadChart({ demand, capacityGpus }: { demand: Assessment["demand"]; capacityGpus: number }) {
	const [ref, width] = useWidth(FIRST_WIDTH);
	const lines = demand.lines.map(({ shareOfHours, gpus }) => `${formatCount(gpus)} GPUs in ${formatPercent(shareOfHours)} of the hours`);
	return (
		<figure>
			<div ref={ref} style={{ height: HEIGHT }} role="img" aria-label={`Demand is at most ${lines.join(", ")}.`}>
				<LoadPlot width={width} height={HEIGHT} demand={demand} capacityGpus={capacityGpus} />
			</div>
			<figcaption className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-2 text-ink-2">
				<KeyItem fill="owned">carried, {formatPercent(demand.carriedShare)} of the work</KeyItem>
				<KeyItem fill="on_demand">did not fit, {formatCount(demand.overflowGpuHours)} GPU-hours</KeyItem>
				<KeyItem fill="idle">unused</KeyItem>
			</figcaption>
		</figure>
	);
}

/** Full cost of a month by owned GPUs under one policy. */
export function CurveChart({ comparison }: { comparison: Comparison }) {
	const [ref, width] = useWidth(FIRST_WIDTH);
	const { points, minimumGpus } = comparison.curve;
	const text = points.map(({ gpus, totalPerMonthUsd }) => `${formatCount(gpus)} GPUs ${shortUsd(totalPerMonthUsd)}`).join(", ");
	return (
		<figure>
			<div ref={ref} style={{ height: HEIGHT }} role="img" aria-label={`Total cost per month: ${text}.`}>
				<CurvePlot width={width} height={HEIGHT} points={points} minimumGpus={minimumGpus} ownedGpus={comparison.ownedGpus} />
			</div>
			<figcaption className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-2 text-ink-2">
				<KeyItem fill="owned">owned</KeyItem>
				<KeyItem fill="on_demand">cloud</KeyItem>
			</figcaption>
		</figure>
	);
}

/** Mean demand and use in each hour of the week. */
export function WeekChart(props: { demand: Assessment["demand"]; capacityGpus: number; isStartKnown: boolean }) {
	const { demand, capacityGpus, isStartKnown } = props;
	const [ref, width] = useWidth(FIRST_WIDTH);
	const { hourOfWeekShare, weekendRatio } = demand.seasonality;
	return (
		<figure>
			<div
				ref={ref}
				style={{ height: HEIGHT }}
				role="img"
				aria-label={`The hour of the week explains ${formatPercent(hourOfWeekShare)} of the variation.`}
			>
				<WeekPlot width={width} height={HEIGHT} hours={demand.hourOfWeek} capacityGpus={capacityGpus} />
			</div>
			<figcaption className="px-4 pt-2 text-pretty text-ink-2">
				The hour of the week explains {formatPercent(hourOfWeekShare)} of the variation
				{weekendRatio === null ? "" : `; weekends have ${formatPercent(weekendRatio)} of a weekday’s demand`}.
				{isStartKnown ? "" : " The trace has no dates: weekdays are assumed."}
			</figcaption>
		</figure>
	);
}
