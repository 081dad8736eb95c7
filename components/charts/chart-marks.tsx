"use client";
import { type ChartMark, groupMarks, type MarkGroup } from "#components/charts/marks.ts";
import type { PlotFrame } from "#components/charts/plot-frame.ts";
import { cn } from "#components/ui/cn.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import type { AnnotationKind } from "#server/domain/annotation.ts";

const ICON: Record<AnnotationKind, IconName> = {
	policy: "policies",
	budget: "budgets",
	price: "spend",
	site: "capacity",
	region: "capacity",
};
/** Minimum size of an easily tapped target, in pixels. */
const SIZE = 24;
/** A tooltip of this width stays inside the chart. */
const TOOLTIP = 240;
/** Longer lists would cover the page; the chart's table has all. */
const TEXTS_SHOWN = 8;

type ChartMarksProps = {
	marks: readonly ChartMark[];
	width: number;
	frame: PlotFrame;
	/** Height of the plot below the markers, in pixels. */
	height: number;
};

/** Events above a plot: a marker with a line, its text on hover, touch and keyboard focus. */
export function ChartMarks({ marks, width, frame, height }: ChartMarksProps) {
	const plot = Math.max(1, width - frame.left - frame.right);
	if (marks.length === 0) return null;
	return (
		<ul aria-label="Events" className="pointer-events-none absolute inset-x-0 -top-1.5">
			{groupMarks(marks, (SIZE + 2) / plot).map((group) => {
				const x = frame.left + group.share * plot;
				return (
					<li key={group.marks[0]?.id} className="absolute top-0" style={{ left: x - SIZE / 2 }}>
						<Marker group={group} height={height} shift={tooltipLeft(x, width) - x} />
					</li>
				);
			})}
		</ul>
	);
}

function tooltipLeft(x: number, width: number): number {
	return Math.max(4, Math.min(x - TOOLTIP / 2, width - TOOLTIP - 4));
}

function Marker({ group: { marks }, height, shift }: { group: MarkGroup; height: number; shift: number }) {
	const [first] = marks;
	if (!first) return null;
	// The name contains the number that the marker shows.
	const count = marks.length > 1 ? `${marks.length} events: ` : "";
	return (
		<button
			type="button"
			aria-label={`${count}${marks.map(({ text, when }) => `${text}, ${when}`).join("; ")}`}
			onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
			className="group pointer-events-auto relative grid size-6 place-items-center rounded-full border border-line-strong bg-panel text-ink-2 hover:z-20 hover:text-ink focus:z-20 focus:text-ink"
		>
			<span
				aria-hidden
				className="pointer-events-none absolute top-full left-1/2 border-l border-dashed border-ink-3 opacity-60 group-hover:opacity-100 group-focus:opacity-100"
				style={{ height }}
			/>
			{marks.length > 1 ? (
				<b className="tabular text-2xs font-strong">{marks.length}</b>
			) : (
				<Icon name={ICON[first.kind]} className="size-3" />
			)}
			<span
				aria-hidden
				className={cn(
					"pointer-events-none absolute top-full z-20 mt-1.5 hidden gap-1 rounded-md border border-line bg-panel px-2.5 py-2 text-left text-xs text-ink shadow-pop",
					"group-hover:grid group-focus:grid",
				)}
				style={{ width: TOOLTIP, left: shift + SIZE / 2 - 1 }}
			>
				{marks.slice(-TEXTS_SHOWN).map(({ id, text, when }) => (
					<span key={id} className="text-pretty">
						{text} <span className="text-ink-3">{when}</span>
					</span>
				))}
				{marks.length > TEXTS_SHOWN && <span className="text-ink-3">and {marks.length - TEXTS_SHOWN} earlier</span>}
			</span>
		</button>
	);
}
