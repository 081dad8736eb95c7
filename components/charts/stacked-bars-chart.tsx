"use client";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { type ComponentProps, useMemo, useRef } from "react";
import { barsCsv, marksByBar } from "#components/charts/bars-csv.ts";
import { ChartExport } from "#components/charts/chart-export.tsx";
import { ChartLegend } from "#components/charts/chart-legend.tsx";
import { ChartMarks } from "#components/charts/chart-marks.tsx";
import { type ChartMark, groupMarks } from "#components/charts/marks.ts";
import type { PlotFrame } from "#components/charts/plot-frame.ts";
import { PlotCursor, PlotSurface, usePlotSurface } from "#components/charts/plot-surface.tsx";
import type { PngEvent } from "#components/charts/save-png.ts";
import { type BarsInput, hideSeries, readBar, tabulateBars } from "#components/charts/stacked-bars.ts";
import { useWidth } from "#components/charts/use-width.ts";
import { MoneyText } from "#components/money/money.tsx";
import { Link } from "#components/ui/link.tsx";
import { KeyMark } from "#components/ui/meter.tsx";

/** Actions of a chart besides reading values. */
export type BarsControls = {
	/** Sets the range from the first to the last selected bar. */
	onSelect: (from: number, to: number) => void;
	/** Undoes the range or the picked bar; null if neither is set. */
	onReset: (() => void) | null;
	/** Filters by a bar: click or Space. */
	onPick: (index: number) => void;
	/** The bar that filters now. */
	picked: number | null;
};

type StackedBarsChartProps = {
	input: BarsInput;
	/** Name for screen readers and table caption, such as "Owned and cloud spend per day". */
	label: string;
	height?: number;
	firstWidth?: number;
	/** Label at the boundary of actual and forecast, such as "14:32, then forecast". */
	nowText?: string;
	/** Bar read by default; the last one if absent. */
	restIndex?: number;
	/** URL of a bar's charges, opened by Enter, and by a click without controls; null if there are none. */
	chargesOf: (index: number) => string | null;
	/** Unit of a bar; defaults to days. */
	bucket?: "day" | "week" | "month";
	controls?: BarsControls;
	/** The image and its values can be downloaded under this name. */
	exportName?: string;
	legend?: Omit<ComponentProps<typeof ChartLegend>, "end">;
	/** Events on the time axis, shown above the bars. */
	marks?: readonly ChartMark[];
};

/** Recharts loads after the page, so that it does not count toward the first load. */
const StackedBarsPlot = dynamic(() => import("#components/charts/stacked-bars-plot.tsx").then((m) => m.StackedBarsPlot), { ssr: false });

const NARROW = 560;
/** Heights of a marker and of the axis below the bars. */
const [MARKER, AXIS] = [24, 26];
const KEYS = "Use the left and right arrow keys to read each bar";
const BRUSH_KEYS = "; hold Shift and press Enter to set the range, Space to filter by a bar, Escape to reset";

/** Stacked bars: fixed cost below, variable above. Forecast bars are pale and show their range. */
export function StackedBarsChart(props: StackedBarsChartProps) {
	const { label, height = 292, firstWidth = 760, nowText, restIndex, chargesOf, bucket = "day", controls, legend, marks = [] } = props;
	const hidden = legend?.hidden;
	const [ref, width] = useWidth(firstWidth);
	const root = useRef<HTMLDivElement>(null);
	const input = useMemo(() => hideSeries(props.input, hidden ?? []), [props.input, hidden]);
	const narrow = width < NARROW;
	const frame = useMemo(() => ({ left: 50, right: narrow ? 12 : 100 }), [narrow]);
	const last = Math.max(0, input.bars.length - 1);
	const top = props.marks ? MARKER + 8 : 12;
	const surface = usePlotSurface({
		axis: { width, frame, bars: input.bars.length },
		step: 1,
		rest: Math.min(last, restIndex ?? last),
		say: (index) => sentence(input, index),
		label: `${label}. ${KEYS}${controls ? BRUSH_KEYS : ""}`,
		onSelect: controls?.onSelect ?? null,
		onReset: controls?.onReset ?? null,
	});
	const at = surface.readout.current;
	const router = useRouter();
	const href = chargesOf(at);
	const open = href ? () => router.push(href) : undefined;
	return (
		<div ref={root}>
			<BarReadout input={input} index={at} href={href} />
			<div ref={ref} className="relative">
				<PlotSurface surface={surface} onPick={controls ? () => controls.onPick(at) : open} onOpen={open}>
					<PlotCursor surface={surface} top={top} bottom={AXIS} />
					<div aria-hidden style={{ height }}>
						<StackedBarsPlot {...{ input, width, height, frame, nowText, top }} picked={controls?.picked ?? null} />
					</div>
				</PlotSurface>
				<ChartMarks marks={marks} width={width} frame={frame} height={height - MARKER - AXIS} />
			</div>
			{legend && (
				<ChartLegend
					{...legend}
					end={
						props.exportName && (
							<ChartExport
								root={root}
								title={label}
								name={props.exportName}
								csv={() => barsCsv(input, BUCKET_WORD[bucket], marks)}
								events={pngEvents(marks, width, frame)}
							/>
						)
					}
				/>
			)}
			<BarsTable input={input} label={label} bucket={bucket} marks={marks} />
		</div>
	);
}

/** One numbered marker per group, as on the screen. */
function pngEvents(marks: readonly ChartMark[], width: number, frame: PlotFrame): PngEvent[] {
	const plot = Math.max(1, width - frame.left - frame.right);
	return groupMarks(marks, (MARKER + 2) / plot).map((group) => ({
		x: frame.left + group.share * plot,
		texts: group.marks.map(({ text, when }) => `${text}, ${when}`),
	}));
}

function BarReadout({ input, index, href }: { input: BarsInput; index: number; href: string | null }) {
	const reading = readBar(input, index);
	return (
		<div className="flex min-h-6 flex-wrap content-start gap-x-3.5 gap-y-1 px-4 pb-1.5 text-xs text-ink-3 max-md:min-h-12">
			{reading && (
				<>
					<b className="font-strong text-ink">{reading.label}</b>
					{reading.values.map(({ series, text }) => (
						<span key={series.id} className="tabular inline-flex items-center gap-1.5 whitespace-nowrap">
							<KeyMark fill={series.fill} className="size-2.25" />
							{series.label}{" "}
							<b className="font-strong text-ink">
								<MoneyText text={text} />
							</b>
						</span>
					))}
					{reading.previous && (
						<span className="tabular whitespace-nowrap">
							Previous{" "}
							<b className="font-strong text-ink">
								<MoneyText text={reading.previous} />
							</b>
						</span>
					)}
					{href && (
						<Link href={href} className="-my-1 py-1 font-strong text-accent hover:underline">
							Charges
						</Link>
					)}
				</>
			)}
		</div>
	);
}

function sentence(input: BarsInput, index: number): string {
	const reading = readBar(input, index);
	if (reading?.values.length === 0) return reading.label;
	if (!reading) return "nothing";
	const previous = reading.previous ? `, previous ${reading.previous}` : "";
	return `${reading.label}: ${reading.values.map(({ series, text }) => `${series.label} ${text}`).join(", ")}${previous}`;
}

const BUCKET_WORD = { day: "Day", week: "Week", month: "Month" };

type BarsTableProps = { input: BarsInput; label: string; bucket: "day" | "week" | "month"; marks: readonly ChartMark[] };

function BarsTable({ input, label, bucket, marks }: BarsTableProps) {
	const events = marksByBar(marks, input.bars.length);
	const rows = tabulateBars(input);
	const ranges = rows.some((row) => row.range !== "");
	return (
		<div className="sr-only">
			<table>
				<caption>{label}</caption>
				<thead>
					<tr>
						<th scope="col">{BUCKET_WORD[bucket]}</th>
						{input.series.map((s) => (
							<th key={s.id} scope="col">
								{s.label}
							</th>
						))}
						{ranges && <th scope="col">Forecast range</th>}
						{input.previous && <th scope="col">{input.previous.label}</th>}
						{events.size > 0 && <th scope="col">Events</th>}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, index) => (
						<tr key={row.id}>
							<th scope="row">{row.label}</th>
							{input.series.map((s, i) => (
								<td key={s.id}>{row.cells[i]}</td>
							))}
							{ranges && <td>{row.range}</td>}
							{input.previous && <td>{row.previous}</td>}
							{events.size > 0 && <td>{events.get(index)}</td>}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
