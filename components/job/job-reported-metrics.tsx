"use client";
import { useQuery } from "@tanstack/react-query";
import { useWidth } from "#components/charts/use-width.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { formatCount, formatThreeDigits } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";

type Series = Outputs["job"]["metrics"][number];

const REFRESH_MS = 3_000;
const HEIGHT = 120;
const INSET = 4;

/** Metrics that the job reported, live while it runs: a chart each. Nothing without any. */
export function JobReportedMetrics({ id, isLive }: { id: string; isLive: boolean }) {
	const trpc = useTRPC();
	const { data } = useQuery({ ...trpc.job.metrics.queryOptions({ id }), refetchInterval: isLive ? REFRESH_MS : false });
	if (!data || data.length === 0) return null;
	return (
		<Panel title="Reported by the job" sub="metrics by step">
			<div className="grid gap-x-8 gap-y-4 px-4 pb-4 md:grid-cols-2">
				{data.map((series) => (
					<Chart key={series.key} series={series} />
				))}
			</div>
			{!isLive && <MlflowState id={id} />}
		</Panel>
	);
}

/** Whether the job's runs were forwarded to MLflow. Nothing when forwarding is off. */
function MlflowState({ id }: { id: string }) {
	const trpc = useTRPC();
	const { data = [] } = useQuery(trpc.job.mlflow.queryOptions({ id }));
	const [failed] = data.filter(({ state }) => state === "failed");
	const forwarded = data.filter(({ state }) => state === "forwarded").length;
	if (data.length === 0) return null;
	return (
		<p className="px-4 pb-4 text-sm text-ink-2">
			{failed
				? `Not forwarded to MLflow. ${failed.error ?? ""}`
				: `Forwarded to MLflow: ${formatCount(forwarded)} of ${formatCount(data.length)} runs.`}
		</p>
	);
}

function Chart({ series: { key, points, last, min, max, count } }: { series: Series }) {
	const [ref, width] = useWidth(320);
	const steps = points.map(({ step }) => step);
	const [from, until] = [Math.min(...steps), Math.max(...steps)];
	const x = (step: number): number => INSET + ((step - from) / Math.max(1, until - from)) * (width - 2 * INSET);
	const y = (value: number): number => INSET + (1 - (value - min) / (max - min || 1)) * (HEIGHT - 2 * INSET);
	const line = points.map(({ step, value }) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
	return (
		<figure className="min-w-0">
			<figcaption className="flex items-baseline gap-2">
				<span className="truncate font-semibold">{key}</span>
				<span className="tabular ml-auto text-md font-semibold">{formatThreeDigits(last.value)}</span>
				<span className="text-xs text-ink-3">at step {formatCount(last.step)}</span>
			</figcaption>
			<div ref={ref}>
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					aria-label={`${key}: ${count} values from ${formatThreeDigits(min)} to ${formatThreeDigits(max)}`}
				>
					<polyline points={line} fill="none" strokeWidth={1.6} className="stroke-accent" />
					{points.length === 1 && <circle cx={width / 2} cy={HEIGHT / 2} r={3} className="fill-accent" />}
				</svg>
			</div>
			<div className="flex justify-between text-xs text-ink-3">
				<span>
					{formatThreeDigits(min)} to {formatThreeDigits(max)}
				</span>
				<span>{formatCount(count)} values</span>
			</div>
		</figure>
	);
}
