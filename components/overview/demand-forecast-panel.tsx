"use client";
import { useQuery } from "@tanstack/react-query";
import { useWidth } from "#components/charts/use-width.ts";
import { summarizeForecast } from "#components/overview/summarize-forecast.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { formatShort } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { HOUR_MS } from "#server/kernel/units.ts";

type Forecast = Outputs["forecast"]["demand"];
const HEIGHT = 132;
const FIRST_WIDTH = 900;

/** GPUs requested in the next day and week, and how accurate such forecasts were. Loaded after the page, because it takes longer. */
export function DemandForecastPanel() {
	const trpc = useTRPC();
	const { data, error, refetch } = useQuery({ ...trpc.forecast.demand.queryOptions({}), staleTime: HOUR_MS });
	if (error)
		return (
			<Panel>
				<ErrorState title="Could not load the demand forecast" detail={describeError(error).detail} onRetry={() => void refetch()} />
			</Panel>
		);
	const score = data?.score;
	const footer = score
		? `In the last ${formatCount(score.heldOutWeeks)} weeks demand was at most P50 in ${formatPercent(score.p50Coverage)} of hours and at most P90 in ${formatPercent(score.p90Coverage)}; error ${formatPercent(score.weightedError)}, same hour of last week ${formatPercent(score.naiveWeightedError)}.`
		: undefined;
	return (
		<Panel title="Demand forecast" sub="GPUs requested, next 7 days" footer={footer}>
			{data ? <Shown forecast={data} /> : <TextSkeleton lines={5} label="Loading the demand forecast" className="py-5" />}
		</Panel>
	);
}

function Shown({ forecast }: { forecast: Forecast }) {
	const [item] = forecast.items;
	if (!item) return <p className="px-4 pb-4 text-ink-2">Needs a day of jobs. {formatCount(forecast.learnedHours)} hours so far.</p>;
	const { day, week } = summarizeForecast(item.points, forecast.ownedGpus);
	return (
		<div className="grid gap-3 px-4 pb-4">
			<p className="text-pretty text-ink-2">
				{[
					{ name: "Next 24 hours", peak: day },
					{ name: "Next 7 days", peak: week },
				].map(({ name, peak }) => (
					<span key={name} className="mr-6 inline-block">
						{name}: peak{" "}
						<b className="tabular font-semibold text-ink">
							{formatCount(peak.p50)} ({formatCount(peak.p10)} to {formatCount(peak.p90)})
						</b>{" "}
						{formatShort(peak.atMs, Date.parse(item.points[0]?.at ?? ""))},{" "}
						{peak.hoursOver === 0 ? "within owned GPUs" : `above owned GPUs in ${formatCount(peak.hoursOver)} h`}
					</span>
				))}
			</p>
			<Band points={item.points} ownedGpus={forecast.ownedGpus} />
		</div>
	);
}

/** P10 to P90 as a band, P50 as a line, and the owned GPUs. */
function Band({ points, ownedGpus }: { points: Forecast["items"][number]["points"]; ownedGpus: number }) {
	const [ref, width] = useWidth(FIRST_WIDTH);
	const top = Math.max(ownedGpus, ...points.map(({ p90 }) => p90), 1) * 1.08;
	const x = (i: number): number => (i / Math.max(1, points.length - 1)) * width;
	const y = (gpus: number): number => HEIGHT - (gpus / top) * HEIGHT;
	const at = (pick: (point: (typeof points)[number]) => number) =>
		points.map((point, i) => `${x(i).toFixed(1)},${y(pick(point)).toFixed(1)}`);
	const band = [...at(({ p90 }) => p90), ...at(({ p10 }) => p10).toReversed()].join(" ");
	return (
		<div ref={ref} style={{ height: HEIGHT }}>
			<svg
				width={width}
				height={HEIGHT}
				role="img"
				aria-label={`Forecast band up to ${formatCount(top)} GPUs, ${formatCount(ownedGpus)} owned`}
				className="block"
			>
				<polygon points={band} fill="var(--cloud)" fillOpacity={0.18} />
				<polyline points={at(({ p50 }) => p50).join(" ")} fill="none" stroke="var(--cloud)" strokeWidth={1.75} />
				<line x1={0} x2={width} y1={y(ownedGpus)} y2={y(ownedGpus)} stroke="var(--ink)" strokeWidth={1.25} />
				<text x={4} y={y(ownedGpus) - 4} className="chart-text fill-ink-2 text-xs">
					{formatCount(ownedGpus)} owned
				</text>
			</svg>
		</div>
	);
}
