import type { MarkFill } from "#components/ui/meter.tsx";

/**
 * Hatch patterns for all charts, defined once per page (app/layout.tsx). Patterns in an undisplayed SVG do not render.
 */
export function ChartPatterns() {
	return (
		<svg width="0" height="0" aria-hidden focusable="false" className="absolute">
			<defs>
				<Hatch id="hatch-spot" angle={45} ground="var(--spot)" line="var(--cloud)" />
				<Hatch id="hatch-spot-alt" angle={-45} ground="var(--spot)" line="var(--cloud)" />
				<Hatch id="hatch-owned" angle={45} ground="var(--owned-soft)" line="var(--owned)" />
				<Hatch id="hatch-carbon" angle={45} ground="var(--carbon-soft)" line="var(--carbon)" />
				<Hatch id="hatch-lost" angle={45} ground="var(--risk-soft)" line="var(--risk)" />
			</defs>
		</svg>
	);
}

function Hatch({ id, angle, ground, line }: { id: string; angle: number; ground: string; line: string }) {
	return (
		<pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform={`rotate(${angle})`}>
			<rect width="5" height="5" fill={ground} />
			<rect width="2.2" height="5" fill={line} />
		</pattern>
	);
}

const SVG_FILL: Record<MarkFill | "waiting", string> = {
	owned: "var(--owned)",
	owned_direct: "url(#hatch-owned)",
	on_demand: "var(--cloud)",
	spot: "url(#hatch-spot)",
	spot_alt: "url(#hatch-spot-alt)",
	reserved: "var(--reserved)",
	idle: "var(--idle)",
	carbon: "var(--carbon)",
	carbon_soft: "color-mix(in oklab, var(--carbon) 42%, var(--panel))",
	embodied: "url(#hatch-carbon)",
	risk: "var(--risk)",
	lost: "url(#hatch-lost)",
	warn: "var(--warn)",
	accent: "var(--accent)",
	ink: "var(--ink-3)",
	held: "color-mix(in oklab, var(--cloud) 38%, var(--panel))",
	none: "none",
	waiting: "color-mix(in oklab, var(--ink-3) 10%, transparent)",
};

/** The fill value for an SVG pattern. */
export const svgFill = (fill: MarkFill | "waiting"): string => SVG_FILL[fill];
