/** The plot area inside a chart, shared by the Recharts plots and the keyboard reading above them, in pixels. */
export interface PlotFrame {
	left: number;
	right: number;
}

/** The value of a pointer at `x` of `shown` pixels, in a plot drawn for `width`. */
export function valueInPlot(x: number, shown: number, width: number, frame: PlotFrame, from: number, to: number): number {
	const at = (x / shown) * width - frame.left;
	const share = at / Math.max(1, width - frame.left - frame.right);
	return from + Math.min(1, Math.max(0, share)) * (to - from);
}
