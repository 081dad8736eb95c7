"use client";
import { Area, Bar, CartesianGrid, ComposedChart, Label, Line, ReferenceDot, ReferenceLine, XAxis, YAxis } from "recharts";
import { type Assessment, type Comparison, type Option, shortUsd } from "#components/plan/format-plan.ts";

const STILL = { isAnimationActive: false, activeDot: false, dot: false } as const;
const GRID = <CartesianGrid vertical={false} stroke="var(--line)" strokeOpacity={0.65} />;
const X = { height: 28, axisLine: false, tickLine: false, interval: 0 } as const;
const Y = { width: 54, axisLine: false, tickLine: false, tickCount: 5 } as const;
const MARGIN = { top: 16, right: 18, bottom: 0, left: 0 };
const STEP_MONTHS = 12;

type Size = { width: number; height: number };

/** Whether labels have room. */
const isNarrow = (width: number): boolean => width < 460;

export function CumulativePlot({ width, height, option, reference }: Size & { option: Option; reference: Option }) {
	const months = reference.finance.cumulativeUsd;
	const rows = months.map((paid, month) => ({ month, reference: paid, option: option.finance.cumulativeUsd[month] ?? null }));
	const ticks = rows.filter(({ month }) => month % STEP_MONTHS === 0).map(({ month }) => month);
	const { paybackMonth } = option.finance;
	return (
		<ComposedChart {...{ width, height, data: rows, margin: MARGIN, accessibilityLayer: false }} className="chart-text mark-exact">
			{GRID}
			<XAxis
				{...X}
				dataKey="month"
				type="number"
				domain={[0, months.length - 1]}
				ticks={ticks}
				tickFormatter={(month: number) => (month === 0 ? "order" : `${month / STEP_MONTHS} y`)}
			/>
			<YAxis {...Y} tickFormatter={shortUsd} />
			<Line {...STILL} dataKey="reference" stroke="var(--cloud)" strokeWidth={2} />
			{option.id !== reference.id && <Line {...STILL} dataKey="option" stroke="var(--owned)" strokeWidth={2} />}
			{paybackMonth !== null && (
				<ReferenceLine x={paybackMonth} stroke="var(--ink-3)" strokeDasharray="3 3">
					<Label value={`even in month ${paybackMonth}`} position="insideTopRight" className="halo" />
				</ReferenceLine>
			)}
		</ComposedChart>
	);
}

/** Height of a label as a share of the axis. */
const LABEL_SHARE = 0.08;

export function LoadPlot({ width, height, demand, capacityGpus }: Size & { demand: Assessment["demand"]; capacityGpus: number }) {
	const rows = demand.loadDuration.map(({ percentOfHours, gpus }) => ({
		percentOfHours,
		carried: Math.min(gpus, capacityGpus),
		over: Math.max(0, gpus - capacityGpus),
		idle: Math.max(0, capacityGpus - gpus),
	}));
	const ticks = isNarrow(width) ? [0, 50, 100] : [0, 20, 40, 60, 80, 100];
	const top = Math.ceil(Math.max(demand.peakGpus, capacityGpus) * 1.05);
	/** Whether the line of owned GPUs is where the label above this line would be. */
	const isUnderOwned = (gpus: number) => gpus <= capacityGpus && capacityGpus - gpus < top * LABEL_SHARE;
	return (
		<ComposedChart {...{ width, height, data: rows, margin: MARGIN, accessibilityLayer: false }} className="chart-text mark-exact">
			<XAxis
				{...X}
				dataKey="percentOfHours"
				type="number"
				domain={[0, 100]}
				ticks={ticks}
				tickFormatter={(p: number) => (p === 100 ? "100% of hours" : `${p}%`)}
				tick={<EdgeTick />}
			/>
			<YAxis {...Y} width={44} allowDecimals={false} domain={[0, top]} />
			<Area {...STILL} type="linear" stackId="load" dataKey="carried" fill="var(--owned-area)" stroke="none" fillOpacity={1} />
			<Area {...STILL} type="linear" stackId="load" dataKey="idle" fill="var(--idle)" stroke="none" fillOpacity={0.55} />
			<Area {...STILL} type="linear" stackId="load" dataKey="over" fill="var(--cloud)" stroke="none" fillOpacity={1} />
			{demand.lines.map(({ shareOfHours, gpus }) => (
				<ReferenceLine key={shareOfHours} y={gpus} stroke="var(--ink-3)" strokeDasharray="2 4">
					<Label
						value={`${Math.round(shareOfHours * 100)}%: ${Math.round(gpus).toLocaleString("en-US")}`}
						position={isUnderOwned(gpus) ? "insideTopRight" : "insideBottomRight"}
						className="halo"
					/>
				</ReferenceLine>
			))}
			<ReferenceLine y={capacityGpus} stroke="var(--ink)" strokeWidth={1.5}>
				<Label
					value={`${capacityGpus.toLocaleString("en-US")} owned GPUs`}
					position="insideBottom"
					offset={6}
					className="halo chart-label"
				/>
			</ReferenceLine>
		</ComposedChart>
	);
}

type TickProps = { x?: number; y?: number; payload?: { value: number } };

/** The last label ends at the edge, so that it is not cut. */
function EdgeTick({ x = 0, y = 0, payload }: TickProps) {
	const value = payload?.value ?? 0;
	return (
		<text x={x} y={y + 12} textAnchor={value === 0 ? "start" : value === 100 ? "end" : "middle"}>
			{value === 100 ? "100% of hours" : `${value}%`}
		</text>
	);
}

type Point = Comparison["curve"]["points"][number];

export function CurvePlot({
	width,
	height,
	points,
	minimumGpus,
	ownedGpus,
}: Size & { points: readonly Point[]; minimumGpus: number; ownedGpus: number }) {
	const rows = points.map((point) => ({ ...point, name: point.gpus === ownedGpus ? `${point.gpus}, today` : String(point.gpus) }));
	const least = rows.find(({ gpus }) => gpus === minimumGpus);
	return (
		<ComposedChart
			{...{ width, height, data: rows, margin: { ...MARGIN, top: 24 }, accessibilityLayer: false, barCategoryGap: "28%" }}
			className="chart-text mark-exact"
		>
			{GRID}
			<XAxis {...X} dataKey="name" />
			<YAxis {...Y} tickFormatter={shortUsd} />
			<Bar dataKey="ownedPerMonthUsd" stackId="cost" fill="var(--owned-area)" isAnimationActive={false} maxBarSize={56} />
			<Bar dataKey="cloudPerMonthUsd" stackId="cost" fill="var(--cloud)" isAnimationActive={false} maxBarSize={56} />
			{least && (
				<ReferenceDot x={least.name} y={least.totalPerMonthUsd} r={0} stroke="none">
					<Label value={shortUsd(least.totalPerMonthUsd)} position="top" className="halo chart-label" />
				</ReferenceDot>
			)}
		</ComposedChart>
	);
}

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY_HOURS = 24;

export function WeekPlot({
	width,
	height,
	hours,
	capacityGpus,
}: Size & { hours: Assessment["demand"]["hourOfWeek"]; capacityGpus: number }) {
	const rows = hours.map(({ demandGpus, usedGpus }, hour) => ({ hour, demandGpus, usedGpus }));
	const peak = Math.max(capacityGpus, ...hours.map(({ demandGpus }) => demandGpus));
	const ticks = DAYS.map((_, day) => day * DAY_HOURS + DAY_HOURS / 2);
	return (
		<ComposedChart {...{ width, height, data: rows, margin: MARGIN, accessibilityLayer: false }} className="chart-text mark-exact">
			{GRID}
			<XAxis
				{...X}
				dataKey="hour"
				type="number"
				domain={[0, hours.length - 1]}
				ticks={ticks}
				tickFormatter={(hour: number) => DAYS[Math.floor(hour / DAY_HOURS)] ?? ""}
			/>
			<YAxis {...Y} width={44} allowDecimals={false} domain={[0, Math.ceil(peak * 1.08)]} />
			<Area
				{...STILL}
				type="stepAfter"
				dataKey="usedGpus"
				fill="var(--owned-soft)"
				stroke="var(--owned)"
				strokeWidth={1.25}
				fillOpacity={1}
			/>
			<Line {...STILL} type="stepAfter" dataKey="demandGpus" stroke="var(--ink-2)" strokeWidth={1.5} />
			<ReferenceLine y={capacityGpus} stroke="var(--ink)" strokeWidth={1.5}>
				<Label value={`${capacityGpus.toLocaleString("en-US")} owned`} position="insideTopRight" className="halo chart-label" />
			</ReferenceLine>
		</ComposedChart>
	);
}
