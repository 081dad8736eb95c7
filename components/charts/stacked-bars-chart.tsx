"use client";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { KeyboardEvent } from "react";
import { valueInPlot } from "#components/charts/plot-frame.ts";
import { type BarsInput, readBar, tabulateBars } from "#components/charts/stacked-bars.ts";
import { useReadout } from "#components/charts/use-readout.ts";
import { useWidth } from "#components/charts/use-width.ts";
import { MoneyText } from "#components/money/money.tsx";
import { cn } from "#components/ui/cn.ts";
import { KeyMark } from "#components/ui/meter.tsx";

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
	/** URL of a bar's charges, opened by click or Enter; null if there are none. */
	chargesOf: (index: number) => string | null;
	/** Unit of a bar; defaults to days. */
	bucket?: "day" | "week" | "month";
};

/** Recharts loads after the page, so that it does not count toward the first load. */
const StackedBarsPlot = dynamic(() => import("#components/charts/stacked-bars-plot.tsx").then((m) => m.StackedBarsPlot), { ssr: false });

const NARROW = 560;

/** Stacked bars: fixed cost below, variable above. Forecast bars are pale and show their range. */
export function StackedBarsChart({
	input,
	label,
	height = 292,
	firstWidth = 760,
	nowText,
	restIndex,
	chargesOf,
	bucket,
}: StackedBarsChartProps) {
	const [ref, width] = useWidth(firstWidth);
	const frame = { left: 50, right: width < NARROW ? 12 : 100 };
	const last = Math.max(0, input.bars.length - 1);
	const rest = Math.min(last, restIndex ?? last);
	const readout = useReadout({
		min: 0,
		max: last,
		step: 1,
		rest,
		valueAt: (x, shown) => Math.min(last, Math.floor(valueInPlot(x, shown, width, frame, 0, input.bars.length))),
		say: (index) => sentence(input, index),
		label: `${label}. Use the left and right arrow keys to read each bar`,
	});
	const reading = readBar(input, readout.current);
	const router = useRouter();
	const href = chargesOf(readout.current);
	const open = (): void => {
		if (href) router.push(href);
	};
	return (
		<div>
			<div className="flex min-h-6 flex-wrap gap-x-3.5 gap-y-1 px-4 pb-1.5 text-xs text-ink-3">
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
						{href && (
							<Link href={href} prefetch={false} className="font-strong text-accent hover:underline">
								Charges
							</Link>
						)}
					</>
				)}
			</div>
			<div
				ref={ref}
				{...readout.bind}
				{...{
					onClick: open,
					onKeyDown: (event: KeyboardEvent) => (event.key === "Enter" ? open() : readout.bind.onKeyDown(event)),
				}}
				className={cn("touch-pan-y focus-visible:-outline-offset-2", href && "cursor-pointer")}
			>
				<div aria-hidden style={{ height }}>
					<StackedBarsPlot {...{ input, width, height, frame, nowText }} hover={readout.value} />
				</div>
			</div>
			<BarsTable input={input} label={label} bucket={bucket} />
		</div>
	);
}

function sentence(input: BarsInput, index: number): string {
	const reading = readBar(input, index);
	if (reading?.values.length === 0) return reading.label;
	return reading ? `${reading.label}: ${reading.values.map(({ series, text }) => `${series.label} ${text}`).join(", ")}` : "nothing";
}

const BUCKET_WORD = { day: "Day", week: "Week", month: "Month" };

function BarsTable({ input, label, bucket = "day" }: { input: BarsInput; label: string; bucket: "day" | "week" | "month" | undefined }) {
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
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={row.id}>
							<th scope="row">{row.label}</th>
							{input.series.map((s, i) => (
								<td key={s.id}>{row.cells[i]}</td>
							))}
							{ranges && <td>{row.range}</td>}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
