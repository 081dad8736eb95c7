import { DistributionChart } from "#components/charts/distribution-chart.tsx";
import { HeatAxis, type HeatCell, HeatRow, HeatScale, SlotRow } from "#components/charts/heat.tsx";
import { type BandPoint, LineBand } from "#components/charts/line-band.tsx";
import type { BarsInput } from "#components/charts/stacked-bars.ts";
import { StackedBarsChart } from "#components/charts/stacked-bars-chart.tsx";
import { type Lane, timelineBounds } from "#components/charts/timeline.ts";
import { TimelineChart } from "#components/charts/timeline-chart.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { formatClock } from "#components/time/format-time.ts";
import { KeyItem } from "#components/ui/meter.tsx";
import { Panel } from "#components/ui/panel.tsx";

const HOUR = 3_600_000;
const MIN = 60_000;

/** A repeatable wobble between 0 and 1. */
const wave = (i: number, seed = 1) => (Math.sin(i * 12.9898 * seed) * 43758.5453) % 1;
const wobble = (i: number, seed = 1) => Math.abs(wave(i, seed));

export function GalleryCharts({ nowMs }: { nowMs: number }) {
	return (
		<>
			<Panel title="Owned and cloud by day" sub="dollars a day, UTC">
				<StackedBarsChart input={demoBars()} label="Owned and cloud spend by day" nowText="14:32, then forecast" restIndex={18} />
			</Panel>
			<Timeline nowMs={nowMs} />
			<Heat />
			<div className="grid gap-4 rail:grid-cols-3">
				<Panel title="GPUs" sub="8 × H100, average and spread" padded>
					<LineBand
						title="Utilisation"
						unit="%"
						max={100}
						points={demoBand(nowMs, 94, 6)}
						fromMs={nowMs - 5 * HOUR}
						toMs={nowMs}
						lastText="94%"
						gaps={[{ atMs: nowMs - 2.9 * HOUR, text: "moving" }]}
					/>
				</Panel>
				<Panel title="Power" padded>
					<LineBand
						title="All eight"
						unit=" kW"
						points={demoBand(nowMs, 4.6, 0.3)}
						fromMs={nowMs - 5 * HOUR}
						toMs={nowMs}
						lastText="4.6 kW"
					/>
				</Panel>
				<Panel title="When it would finish, out of 100 forecasts" padded>
					<DistributionChart
						input={{
							deadlineMs: nowMs + 7 * HOUR,
							ways: [
								{ id: "burst", label: "Burst now", place: "cloud", sortedMs: demoFinish(nowMs, 5.3, 0.5) },
								{ id: "wait", label: "Wait at home", place: "owned", sortedMs: demoFinish(nowMs, 6, 1.2) },
							],
						}}
						height={190}
					/>
				</Panel>
			</div>
		</>
	);
}

function demoFinish(nowMs: number, hours: number, spread: number): number[] {
	return Array.from({ length: 300 }, (_, i) => nowMs + (hours + spread * (wobble(i, 1) + wobble(i, 2) + wobble(i, 3) - 1.5)) * HOUR).sort(
		(a, b) => a - b,
	);
}

function demoBand(nowMs: number, middle: number, spread: number): BandPoint[] {
	return Array.from({ length: 100 }, (_, i) => {
		const atMs = nowMs - 5 * HOUR + i * 3 * MIN;
		if (i > 38 && i < 46) return { atMs, value: null };
		const since = i > 45 ? i - 45 : i;
		const value = middle * Math.min(1, 0.35 + since / 10) * (since % 10 === 9 ? 0.78 : 1) + (wobble(i) - 0.5) * spread;
		return { atMs, value, low: value - spread, high: value + spread * 0.7 };
	});
}

function demoBars(): BarsInput {
	const series = [
		{ id: "used", label: "Owned, used", fill: "owned" as const },
		{ id: "idle", label: "Owned, idle", fill: "idle" as const },
		{ id: "reserved", label: "Reserved", fill: "reserved" as const },
		{ id: "spot", label: "Spot", fill: "spot" as const },
		{ id: "on_demand", label: "On demand", fill: "on_demand" as const },
	];
	const text = (dollars: number, posted: boolean) => formatMoney(BigInt(Math.round(dollars * 1e6)), posted ? "posted" : "whole");
	const bars = Array.from({ length: 30 }, (_, i) => {
		const weekend = i % 7 === 0 || i % 7 === 6;
		const idle = weekend ? 800 : 250 + wobble(i) * 120;
		const cloud = (weekend ? 0.5 : 1.2) * (700 + wobble(i, 2) * 900);
		const whole = { used: 3120 - idle, idle, reserved: 240, spot: cloud * 0.6, on_demand: cloud * 0.4 };
		const part = (share: number, posted: boolean) =>
			share === 0
				? []
				: series.map((s) => ({
						seriesId: s.id,
						value: whole[s.id as keyof typeof whole] * share,
						text: text(whole[s.id as keyof typeof whole] * share, posted && s.id !== "used" && s.id !== "idle"),
					}));
		const done = i < 18 ? 1 : i === 18 ? 0.605 : 0;
		const tick = i === 0 ? "1 Nov" : i === 18 ? "today" : [4, 9, 14, 24, 29].includes(i) ? String(i + 1) : "";
		return {
			id: `d${i}`,
			label: i === 18 ? "Today so far" : `${i + 1} Nov`,
			tick,
			posted: part(done, true),
			forecast: part(1 - done, false),
			done,
			range: i > 18 ? { low: 3120 + cloud * 0.6, high: 3120 + cloud * 1.6 } : null,
		};
	});
	return { series, bars, axis: "usd" };
}

function Timeline({ nowMs }: { nowMs: number }) {
	const t = (min: number) => nowMs + min * MIN;
	const lanes: Lane[] = [
		{
			id: "home",
			title: "Queue at home",
			sub: "hall-b, 29 min in all",
			note: "Forecast wait at home was 3 h 40 to 8 h 20",
			segments: [
				{ fromMs: t(-342), toMs: t(-320), kind: "queue", label: "waited" },
				{ fromMs: t(-134), toMs: t(-127), kind: "queue", label: "waited again" },
			],
		},
		{
			id: "aws",
			title: "aws us-east-2 spot",
			sub: "attempt 1, 2 h 44",
			segments: [
				{ fromMs: t(-320), toMs: t(-298), kind: "stage", label: "copied data in" },
				{ fromMs: t(-298), toMs: t(-148), kind: "run_spot", label: "ran" },
				{ fromMs: t(-148), toMs: t(-134), kind: "lost", label: "ran, lost" },
			],
			checkpointsMs: [-268, -238, -208, -178, -148].map(t),
			interruption: {
				atMs: t(-134),
				title: "Interrupted 12:18, aws gave 2 min notice and a checkpoint takes 3",
				detail: "14 min of work lost, $5.46. Resumed from the checkpoint of 12:04",
			},
		},
		{
			id: "gcp",
			title: "gcp europe-west4 spot",
			sub: "attempt 2, 1 h 48 so far",
			segments: [
				{ fromMs: t(-127), toMs: t(-108), kind: "stage", label: "copied data in" },
				{ fromMs: t(-108), toMs: t(0), kind: "run_spot", label: "running" },
				{ fromMs: t(0), toMs: t(720), kind: "forecast_cloud", label: "forecast" },
			],
			checkpointsMs: [-78, -48, -18].map(t),
			whisker: { toMs: t(818), text: "by 04:10 in 9 of 10" },
			endText: `≈ ${formatClock(t(720))}`,
			note: "12 h of work left",
		},
	];
	const deadline = { atMs: t(1048), text: "Deadline Fri 08:00" };
	return (
		<Panel
			title="What happened"
			sub="UTC"
			actions={
				<span className="flex gap-4 text-xs">
					<KeyItem fill="held">copying data in</KeyItem>
					<span>● checkpoint</span>
				</span>
			}
			padded
		>
			<TimelineChart
				input={{ ...timelineBounds(lanes, nowMs, deadline.atMs), nowMs, nowText: `Now ${formatClock(nowMs)}`, deadline, lanes }}
			/>
		</Panel>
	);
}

function Heat() {
	const cells = (node: number): HeatCell[] =>
		Array.from({ length: 24 }, (_, h) => {
			const value =
				node === 6 && h > 9 && h < 13
					? ("off" as const)
					: node === 4 && h > 8 && h < 15
						? 0.05 + wobble(h) * 0.3
						: node === 8
							? 0.34 + wobble(h) * 0.3
							: 0.88 + wobble(h + node) * 0.1;
			return {
				id: String(h),
				value: h === 23 && node === 2 ? null : value,
				label: `hall-b-0${node}, ${(15 + h) % 24}:00: ${typeof value === "number" ? `${Math.round(value * 100)}%` : "in service"}`,
			};
		});
	const grid = "grid grid-cols-[2.5rem_minmax(0,1fr)] items-center gap-x-3 px-4 py-0.5 md:grid-cols-[5rem_5rem_minmax(0,1fr)_3rem]";
	return (
		<Panel title="hall-b, GPU utilisation by node" sub="last 24 hours" actions={<HeatScale note="Hours below 60% are written out" />}>
			<div className="pb-3">
				<div className={grid}>
					<span />
					<span className="max-md:hidden" />
					<HeatAxis labels={Array.from({ length: 24 }, (_, h) => ({ id: String(h), text: h % 6 === 0 ? `${(15 + h) % 24}:00` : "" }))} />
				</div>
				{[1, 2, 4, 6, 8].map((node) => (
					<div key={node} className={grid}>
						<span className="font-strong">
							<span className="font-book text-ink-3 max-md:hidden">hall-b-</span>0{node}
						</span>
						<span className="max-md:hidden">
							<SlotRow
								label="5 by Spillway, 2 sent direct, 1 free"
								slots={["spillway", "spillway", "spillway", "spillway", "spillway", "direct", "direct", "free"]}
							/>
						</span>
						<HeatRow cells={cells(node)} label={`hall-b-0${node}, 24 hours`} />
						<span className="num max-md:hidden">9{node}%</span>
					</div>
				))}
			</div>
		</Panel>
	);
}
