"use client";
import dynamic from "next/dynamic";
import { useMemo } from "react";
import { ChartMarks } from "#components/charts/chart-marks.tsx";
import { type DemandInput, type DemandReading, demandRows, readDemand, tabulateDemand } from "#components/charts/demand.ts";
import { type ChartMark, marksByRow } from "#components/charts/marks.ts";
import { PlotCursor, PlotSurface, usePlotSurface } from "#components/charts/plot-surface.tsx";
import { useWidth } from "#components/charts/use-width.ts";
import { KeyMark } from "#components/ui/meter.tsx";

/** Recharts loads after the page, so that it does not count toward the first load. */
const DemandPlot = dynamic(() => import("#components/charts/demand-plot.tsx").then((m) => m.DemandPlot), { ssr: false });

const PHONE_WIDTH = 620;
/** Heights of a marker, of the axis and above the plot. */
const [MARKER, AXIS, TOP] = [24, 30, 30];

type DemandChartProps = {
	input: DemandInput;
	/** Events in the range; `share` is relative to the whole range. */
	marks?: readonly ChartMark[];
	height?: number;
	/** Width used for server rendering. */
	firstWidth?: number;
	onSelect: (fromMs: number, toMs: number) => void;
	/** Undoes the selection; null without one. */
	onReset: (() => void) | null;
};

/**
 * GPU demand over time, stacked on owned capacity: below the line runs on owned GPUs, above it runs in a cloud or is
 * queued. A selected range is zoomed in.
 */
export function DemandChart({ input, marks: all = [], height = 352, firstWidth = 1140, onSelect, onReset }: DemandChartProps) {
	const [ref, width] = useWidth(firstWidth);
	const rows = useMemo(() => demandRows(input), [input]);
	const table = useMemo(() => tabulateDemand(input), [input]);
	const phone = width < PHONE_WIDTH;
	const right = phone ? 14 : endLabelsWidth(input);
	const frame = useMemo(() => ({ left: 46, right }), [right]);
	const marks = marksWithin(all, input);
	const surface = usePlotSurface({
		axis: { width, frame, from: input.fromMs, to: input.toMs },
		step: (input.toMs - input.fromMs) / 96,
		rest: Math.min(input.nowMs, input.toMs),
		say: (at) => sentence(readDemand(input, at)),
		label:
			"GPU demand. Use the left and right arrow keys to read it over time; hold Shift and press Enter to set the range, Escape to reset",
		onSelect,
		onReset,
	});
	return (
		<div>
			<Readout reading={readDemand(input, surface.readout.current)} />
			<div ref={ref} className="relative">
				<PlotSurface surface={surface}>
					<div aria-hidden style={{ height }}>
						<DemandPlot {...{ input, rows, width, height, frame, phone }} />
					</div>
					<PlotCursor surface={surface} top={TOP} bottom={AXIS} />
				</PlotSurface>
				<ChartMarks marks={marks} width={width} frame={frame} height={height - MARKER - AXIS} />
			</div>
			<DemandTable rows={table} marks={marks} />
		</div>
	);
}

const LABEL_MIN_PX = 116;
/** Of the widest letters that occur on average, with the gap to the plot. */
const LETTER_PX = 7.2;
const LABEL_GAP_PX = 14;

/** Space for the series' names at the right edge, in px, whichever of them are shown. */
function endLabelsWidth({ owned, cloud }: DemandInput): number {
	const letters = Math.max(...[owned, ...cloud].map(({ label }) => label.length));
	return Math.max(LABEL_MIN_PX, Math.ceil(LABEL_GAP_PX + letters * LETTER_PX));
}

/** The marks of the zoomed range, at their place in it. */
function marksWithin(marks: readonly ChartMark[], { fromMs, toMs }: DemandInput): ChartMark[] {
	return marks.flatMap((mark) => {
		const share = (mark.atMs - fromMs) / Math.max(1, toMs - fromMs);
		return share >= 0 && share <= 1 ? [{ ...mark, share }] : [];
	});
}

const round = (value: number) => Math.round(value).toLocaleString("en-US");

function sentence(reading: DemandReading): string {
	if (reading.wanted === null) return `${reading.when}: no data`;
	return `${reading.when}: demand ${round(reading.wanted)}, ${reading.rows.map((r) => `${r.label} ${round(r.value)}${r.of === undefined ? "" : ` of ${r.of}`}`).join(", ")}`;
}

function Readout({ reading }: { reading: DemandReading }) {
	return (
		<div aria-hidden className="flex min-h-6 flex-wrap gap-x-4 gap-y-1 px-4 pb-2 text-ink-2 md:gap-x-5.5">
			<span className="tabular min-w-37 font-semibold text-ink max-md:w-full">{reading.when}</span>
			{reading.wanted === null ? (
				<span className="text-ink-3">no data</span>
			) : (
				<>
					<Cell label="Demand" value={reading.wanted} estimate={reading.estimate} />
					{reading.rows.map((row) => (
						<span key={row.id} className="inline-flex items-center gap-1.75">
							<KeyMark fill={row.fill} />
							<Cell label={row.label} value={row.value} estimate={reading.estimate} />
							{row.of !== undefined && `of ${row.of}`}
						</span>
					))}
				</>
			)}
		</div>
	);
}

function Cell({ label, value, estimate }: { label: string; value: number; estimate: boolean }) {
	return (
		<span className="inline-flex gap-1.75 whitespace-nowrap">
			{label}
			<b className="tabular min-w-[1.4ch] text-right font-semibold text-ink">
				{estimate && <span className="font-book text-ink-3">≈ </span>}
				{round(value)}
			</b>
		</span>
	);
}

function DemandTable({ rows, marks }: { rows: readonly DemandReading[]; marks: readonly ChartMark[] }) {
	const events = marksByRow(marks, ({ atMs }) => {
		const next = rows.findIndex((row) => row.atMs >= atMs);
		return next < 0 ? rows.length - 1 : next;
	});
	const columns = rows.find((row) => row.rows.length > 0)?.rows ?? [];
	return (
		<div className="sr-only">
			<table>
				<caption>GPU demand over time</caption>
				<thead>
					<tr>
						<th scope="col">Time (UTC)</th>
						<th scope="col">Demand</th>
						{columns.map((c) => (
							<th key={c.id} scope="col">
								{c.label}
							</th>
						))}
						{events.size > 0 && <th scope="col">Events</th>}
					</tr>
				</thead>
				<tbody>
					{rows.map((row, index) => (
						<tr key={row.atMs}>
							<th scope="row">{row.when}</th>
							<td>{row.wanted === null ? "no data" : round(row.wanted)}</td>
							{columns.map((c) => (
								<td key={c.id}>{round(row.rows.find((r) => r.id === c.id)?.value ?? 0)}</td>
							))}
							{events.size > 0 && <td>{events.get(index)}</td>}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
