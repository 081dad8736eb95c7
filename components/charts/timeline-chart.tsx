"use client";
import { svgFill } from "#components/charts/patterns.tsx";
import { type Lane, type LaneKind, prepareTimeline, type TimelineInput, type TimelinePicture } from "#components/charts/timeline.ts";
import { useWidth } from "#components/charts/use-width.ts";
import { formatExact } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";

const FILL: Record<LaneKind, { fill: string; stroke?: string; dash?: string }> = {
	queue: { fill: "var(--idle)" },
	stage: { fill: "var(--cloud-soft)", stroke: "var(--cloud)" },
	stage_owned: { fill: "var(--owned-soft)", stroke: "var(--owned)" },
	run_owned: { fill: svgFill("owned") },
	run_spot: { fill: svgFill("spot") },
	run_on_demand: { fill: svgFill("on_demand") },
	run_reserved: { fill: svgFill("reserved") },
	lost: { fill: svgFill("lost") },
	stopping: { fill: "var(--sunken)", stroke: "var(--line-strong)" },
	forecast_owned: { fill: "var(--owned-soft)", stroke: "var(--owned)", dash: "3 3" },
	forecast_cloud: { fill: "var(--cloud-soft)", stroke: "var(--cloud)", dash: "3 3" },
};

/** A job's history: one lane per attempt location, one shared axis. */
export function TimelineChart({
	input,
	cursorMs = null,
	firstWidth = 1100,
}: {
	input: TimelineInput;
	cursorMs?: number | null;
	firstWidth?: number;
}) {
	const [ref, width] = useWidth(firstWidth);
	const p = prepareTimeline(input, width);
	return (
		<div ref={ref}>
			<svg
				viewBox={`0 0 ${width} ${p.height}`}
				width="100%"
				style={{ height: p.height }}
				aria-hidden
				className="chart-text mark-exact block overflow-visible"
			>
				{p.ticks.map((tick) => (
					<g key={tick.atMs}>
						<line x1={tick.x} x2={tick.x} y1={p.top} y2={p.height - 20} stroke="var(--line)" />
						<text x={Math.min(width - 18, Math.max(p.left + 18, tick.x))} y={p.height - 4} textAnchor="middle">
							{tick.label}
						</text>
					</g>
				))}
				{p.links.map((d) => (
					<path key={d} d={d} stroke="var(--line-strong)" fill="none" />
				))}
				{input.lanes.map((lane, i) => (
					<LaneMarks key={lane.id} lane={lane} y={p.laneY(i)} picture={p} width={width} nowMs={input.nowMs} />
				))}
				<line x1={p.nowX} x2={p.nowX} y1={p.top - 6} y2={p.height - 20} stroke="var(--ink)" />
				<text x={Math.min(width - 34, Math.max(p.left + 34, p.nowX))} y={p.top - 13} textAnchor="middle" className="chart-label halo">
					{input.nowText}
				</text>
				{cursorMs !== null && (
					<line x1={p.x(cursorMs)} x2={p.x(cursorMs)} y1={p.top - 6} y2={p.height - 20} stroke="var(--accent)" strokeWidth="2" />
				)}
				{p.deadlineX !== null && input.deadline && (
					<>
						<line x1={p.deadlineX} x2={p.deadlineX} y1={p.top - 6} y2={p.height - 20} stroke="var(--risk)" />
						<text x={width} y={p.top - 13} textAnchor="end" className="chart-label" style={{ fill: "var(--risk-ink)" }}>
							{Math.abs(p.deadlineX - p.nowX) > 150 ? input.deadline.text : ""}
						</text>
					</>
				)}
			</svg>
			<TimelineList input={input} />
		</div>
	);
}

function LaneMarks({
	lane,
	y,
	picture: p,
	width,
	nowMs,
}: {
	lane: Lane;
	y: number;
	picture: TimelinePicture;
	width: number;
	nowMs: number;
}) {
	const end = Math.max(...lane.segments.map((s) => s.toMs));
	const whiskerX = lane.whisker ? Math.min(width - 2, p.x(lane.whisker.toMs)) : null;
	const afterNow = Math.max(p.x(end), p.nowX) + 10;
	const startX = p.x(Math.min(...lane.segments.map((s) => s.fromMs)));
	return (
		<g>
			{lane.segments.map((s) => {
				const look = FILL[s.kind];
				return (
					<rect
						key={`${s.kind}-${s.fromMs}`}
						x={p.x(s.fromMs)}
						y={y}
						width={Math.max(1, p.x(s.toMs) - p.x(s.fromMs))}
						height={p.barHeight}
						rx="2"
						fill={look.fill}
						{...(look.stroke ? { stroke: look.stroke } : {})}
						{...(look.dash ? { strokeDasharray: look.dash } : {})}
					>
						<title>{s.label}</title>
					</rect>
				);
			})}
			{lane.checkpointsMs?.map((at) => (
				<circle key={at} cx={p.x(at)} cy={y + 22} r="2" fill="var(--ink-2)" />
			))}
			{lane.interruption && <path d={`M${p.x(lane.interruption.atMs)} ${y - 4}v24`} stroke="var(--risk)" strokeWidth="2" />}
			{whiskerX !== null && <path d={`M${p.x(end)} ${y + 8}H${whiskerX}m0 -5v10`} stroke="var(--ink-3)" strokeWidth="2" fill="none" />}
			<LaneTitle lane={lane} y={y} wide={p.wide} />
			{lane.interruption && (
				<Interruption
					it={lane.interruption}
					{...interruptionPlace({ startX, endX: p.x(end), afterNow, width, picture: p })}
					y={y}
					wide={p.wide}
				/>
			)}
			{lane.note && !lane.interruption && p.wide && (
				<text x={(end > nowMs ? p.nowX : afterNow - 10) + 10} y={y + 12} className="chart-note">
					{lane.note}
				</text>
			)}
			{lane.endText && (
				<text
					x={p.wide ? p.x(end) : p.x(end) - 6}
					y={p.wide ? y - 5 : y + 12}
					textAnchor={!p.wide || p.x(end) > width - 40 ? "end" : "middle"}
					className={cn("chart-label", p.wide && "halo")}
				>
					{lane.endText}
				</text>
			)}
			{lane.whisker && whiskerX !== null && p.wide && whiskerX < width - 130 && (
				<text x={whiskerX + 7} y={y + 12} className="halo">
					{lane.whisker.text}
				</text>
			)}
		</g>
	);
}

function LaneTitle({ lane, y, wide }: { lane: Lane; y: number; wide: boolean }) {
	return wide ? (
		<>
			<text x="0" y={y + 6} className="chart-label">
				{lane.title}
			</text>
			<text x="0" y={y + 21}>
				{lane.sub}
			</text>
		</>
	) : (
		<text x="0" y={y - 10} className="halo">
			<tspan className="chart-label" fontWeight="550" fill="var(--ink)">
				{lane.title}
			</tspan>
			<tspan dx="6">{lane.sub}</tspan>
		</text>
	);
}

type InterruptionPlace = { x: number; anchor: "start" | "end"; above: boolean };

/** Next to the bar if two lines fit, otherwise in one line above its end. */
function interruptionPlace(at: {
	startX: number;
	endX: number;
	afterNow: number;
	width: number;
	picture: TimelinePicture;
}): InterruptionPlace {
	const room = at.picture.wide ? 320 : 90;
	if (at.afterNow <= at.width - room) return { x: at.afterNow, anchor: "start", above: false };
	if (!at.picture.wide || at.startX - at.picture.left >= room) return { x: at.startX - 10, anchor: "end", above: false };
	return { x: Math.min(at.endX, at.width - 2), anchor: "end", above: true };
}

type InterruptionProps = InterruptionPlace & { it: NonNullable<Lane["interruption"]>; y: number; wide: boolean };

function Interruption({ it, x, y, wide, anchor, above }: InterruptionProps) {
	if (above) {
		return (
			<text x={x} y={y - 7} textAnchor={anchor} className="halo">
				<tspan style={{ fill: "var(--risk-ink)", fontWeight: 550 }}>{it.title}</tspan>
				{it.detail && <tspan dx="6">{it.detail}</tspan>}
			</text>
		);
	}
	return wide ? (
		<>
			<text x={x} y={y + 6} textAnchor={anchor} className="chart-note halo" style={{ fill: "var(--risk-ink)", fontWeight: 550 }}>
				{it.title}
			</text>
			{it.detail && (
				<text x={x} y={y + 21} textAnchor={anchor} className="halo">
					{it.detail}
				</text>
			)}
		</>
	) : (
		<text x={x} y={y + 12} textAnchor={anchor} className="halo" style={{ fill: "var(--risk-ink)" }}>
			{it.title.split(",")[0]}
		</text>
	);
}

/** Text equivalent, in order. */
function TimelineList({ input }: { input: TimelineInput }) {
	return (
		<ol className="sr-only">
			{input.lanes.map((lane) => (
				<li key={lane.id}>
					{lane.title}, {lane.sub}: {lane.segments.map((s) => `${s.label}, ${formatExact(s.fromMs)} to ${formatExact(s.toMs)}`).join("; ")}
					{lane.checkpointsMs && lane.checkpointsMs.length > 0 ? `; ${lane.checkpointsMs.length} checkpoints` : ""}
					{lane.interruption ? `; ${lane.interruption.title}. ${lane.interruption.detail ?? ""}` : ""}
					{lane.whisker ? `; ${lane.whisker.text}` : ""}
				</li>
			))}
			{input.deadline && <li>{input.deadline.text}</li>}
		</ol>
	);
}
