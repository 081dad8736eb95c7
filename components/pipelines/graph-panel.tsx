import type { Outputs } from "#components/trpc/outputs.ts";
import { Dot } from "#components/ui/chip.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { layoutGraph, NODE } from "./layout-graph.ts";
import { stepStateOf } from "./step-state.ts";

type Step = Outputs["pipeline"]["get"]["stepList"][number];

/** Maximum number of steps drawn: more would be too small to read. */
const DRAWN_MAX = 400;

/** The live graph. Critical steps of the quote have a stronger border. */
export function GraphPanel({ steps, critical }: { steps: readonly Step[]; critical: ReadonlySet<string> }) {
	const drawn = steps.slice(0, DRAWN_MAX);
	const { nodes, edges, width, height } = layoutGraph(drawn);
	const sub = steps.length > drawn.length ? `first ${formatCount(DRAWN_MAX)} of ${formatCount(steps.length)} steps` : undefined;
	return (
		<Panel title="Graph" sub={sub}>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
			<section aria-label="Graph of the steps" tabIndex={0} className="max-h-120 overflow-auto px-4 pb-4">
				<div className="relative" style={{ width, height }}>
					<svg aria-hidden width={width} height={height} className="absolute inset-0">
						{edges.map(({ from, to, x1, y1, x2, y2 }) => (
							<path
								key={`${from} ${to}`}
								d={`M${x1} ${y1}C${x1 + NODE.gapX / 2} ${y1} ${x2 - NODE.gapX / 2} ${y2} ${x2} ${y2}`}
								fill="none"
								strokeWidth={1.4}
								className={critical.has(from) && critical.has(to) ? "stroke-ink-3" : "stroke-line-strong"}
							/>
						))}
					</svg>
					<ul>
						{nodes.map(({ node, x, y }) => (
							<Node key={node.name} step={node} x={x} y={y} isCritical={critical.has(node.name)} />
						))}
					</ul>
				</div>
			</section>
		</Panel>
	);
}

function Node({ step, x, y, isCritical }: { step: Step; x: number; y: number; isCritical: boolean }) {
	const { label, tone } = stepStateOf(step);
	return (
		<li
			className={`absolute grid content-center rounded-lg border bg-panel px-2.5 ${isCritical ? "border-ink-3" : ""}`}
			style={{ left: x, top: y, width: NODE.width, height: NODE.height }}
		>
			<span className="truncate text-xs font-semibold">{step.name}</span>
			<span className="flex items-center gap-1.5 text-xs text-ink-3">
				<Dot tone={tone} />
				{label}
				{step.runs > 1 && (
					<span className="tabular ml-auto">
						{formatCount(step.counts.succeeded)}/{formatCount(step.runs)}
					</span>
				)}
			</span>
		</li>
	);
}
