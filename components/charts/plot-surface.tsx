"use client";
import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { type PlotFrame, valueInPlot } from "./plot-frame.ts";
import { useBrush } from "./use-brush.ts";
import { useReadout } from "./use-readout.ts";

/** The horizontal axis of a plot: bars by index, or a continuous range. */
export type PlotAxis = { width: number; frame: PlotFrame } & ({ bars: number } | { from: number; to: number });

type SurfaceOptions = {
	axis: PlotAxis;
	/** Change per arrow key press. */
	step: number;
	/** Default value without a pointer. */
	rest: number;
	say: (value: number) => string;
	label: string;
	onSelect: ((from: number, to: number) => void) | null;
	onReset: (() => void) | null;
};

/** Reading and range selection of a chart, shared by all interactive plots. */
export function usePlotSurface({ axis, step, rest, say, label, onSelect, onReset }: SurfaceOptions) {
	const [from, to] = "bars" in axis ? [0, axis.bars] : [axis.from, axis.to];
	const max = "bars" in axis ? Math.max(0, axis.bars - 1) : to;
	const valueAt = (x: number, shown: number): number => {
		const value = valueInPlot(x, shown, axis.width, axis.frame, from, to);
		return "bars" in axis ? Math.min(max, Math.floor(value)) : value;
	};
	const readout = useReadout({ min: from, max, step, rest, valueAt, say, label });
	const brush = useBrush({ min: from, max, step, current: readout.current, valueAt, onSelect, onReset });
	return { axis, from, to, readout, brush };
}

type PlotSurfaceProps = {
	surface: ReturnType<typeof usePlotSurface>;
	/** Click or Space. */
	onPick?: (() => void) | undefined;
	/** Enter. */
	onOpen?: (() => void) | undefined;
	className?: string;
	children?: ReactNode;
};

/** The element that takes pointer and keys, with the selection on top of its plot. */
export function PlotSurface({ surface, onPick, onOpen, className, children }: PlotSurfaceProps) {
	const { readout, brush } = surface;
	const onKeyDown = (event: KeyboardEvent): void => {
		if (brush.onKeyDown(event)) return;
		if (event.key === "Enter") onOpen?.();
		else if (event.key === " " && onPick) {
			event.preventDefault();
			onPick();
		} else readout.bind.onKeyDown(event);
	};
	return (
		<div
			{...readout.bind}
			role="slider"
			tabIndex={0}
			aria-valuenow={readout.bind["aria-valuenow"]}
			onKeyDown={onKeyDown}
			onClick={() => !brush.isDrag() && onPick?.()}
			onPointerDown={(event: PointerEvent<HTMLElement>) => {
				readout.bind.onPointerDown(event);
				brush.onPointerDown(event);
			}}
			onPointerMove={(event: PointerEvent<HTMLElement>) => {
				readout.bind.onPointerMove(event);
				brush.onPointerMove(event);
			}}
			onPointerUp={brush.onPointerUp}
			onPointerCancel={brush.onPointerCancel}
			className={cn("relative touch-pan-y select-none focus-visible:-outline-offset-2", onPick && "cursor-pointer", className)}
		>
			{/* The plot is redrawn while the pointer is down; a click on a mark that was replaced would be lost. */}
			<div className="pointer-events-none">{children}</div>
			<Band surface={surface} />
		</div>
	);
}

type Surface = PlotSurfaceProps["surface"];

/** Left edge and width of the values from `first` to `last`, in pixels. */
function spanOf({ axis, from, to }: Surface, first: number, last: number): { left: number; width: number } {
	const { left, right } = axis.frame;
	const perValue = (axis.width - left - right) / Math.max(1e-9, to - from);
	return { left: left + (first - from) * perValue, width: ("bars" in axis ? last + 1 - first : last - first) * perValue };
}

/** The value being read: a line, or the background of a bar. Outside the plot, so that reading does not redraw it. */
export function PlotCursor({ surface, top, bottom }: { surface: Surface; top: number; bottom: number }) {
	const { value } = surface.readout;
	if (value === null) return null;
	return (
		<span
			aria-hidden
			className={cn("absolute", "bars" in surface.axis ? "bg-ink opacity-[.06]" : "border-l border-dashed border-ink-3")}
			style={{ top, bottom, ...spanOf(surface, value, value) }}
		/>
	);
}

/** The selected range, above the plot. */
function Band({ surface }: { surface: Surface }) {
	if (!surface.brush.selection) return null;
	const { left, width } = spanOf(surface, ...surface.brush.selection);
	return (
		<span
			aria-hidden
			className="pointer-events-none absolute inset-y-0 border-x border-accent bg-[color-mix(in_oklab,var(--accent)_16%,transparent)]"
			style={{ left, width: Math.max(1, width) }}
		/>
	);
}
