import { linear, type Scale, type TimeTick, timeTicks } from "./scale.ts";

export type LaneKind =
	| "queue"
	| "stage"
	| "stage_owned"
	| "run_owned"
	| "run_spot"
	| "run_on_demand"
	| "run_reserved"
	| "lost"
	| "stopping"
	| "forecast_owned"
	| "forecast_cloud";
export type LaneSegment = {
	fromMs: number;
	toMs: number;
	kind: LaneKind /** Hover and screen-reader text. */;
	label: string;
};
export type Lane = {
	id: string;
	/** "aws us-east-2 spot" */
	title: string;
	/** "attempt 1, 2 h 44" */
	sub: string;
	segments: readonly LaneSegment[];
	/** Checkpoint times. */
	checkpointsMs?: readonly number[];
	/** The cause of the interruption. */
	interruption?: { atMs: number; title: string; detail?: string } | null;
	/** 90th percentile of the forecast finish, with its label. */
	whisker?: { toMs: number; text: string } | null;
	/** Label above the lane's end, such as "≈ 02:32". */
	endText?: string;
	/** Muted label in or behind the lane, such as "12 h left". */
	note?: string;
};

export type TimelineInput = {
	fromMs: number;
	toMs: number;
	nowMs: number;
	nowText: string;
	deadline?: { atMs: number; text: string } | null;
	lanes: readonly Lane[];
};

export type TimelinePicture = {
	wide: boolean;
	left: number;
	top: number;
	height: number;
	barHeight: number;
	laneY: (index: number) => number;
	x: Scale;
	ticks: (TimeTick & { x: number })[];
	nowX: number;
	deadlineX: number | null;
	/** Connectors between consecutive lanes. */
	links: string[];
};

/** Time range of past, current and forecast events with a margin. */
export function timelineBounds(lanes: readonly Lane[], nowMs: number, deadlineMs?: number | null): { fromMs: number; toMs: number } {
	const times = [
		nowMs,
		...lanes.flatMap((lane) => [...lane.segments.flatMap((s) => [s.fromMs, s.toMs]), ...(lane.whisker ? [lane.whisker.toMs] : [])]),
	];
	const from = Math.min(...times);
	const end = Math.max(...times);
	// A distant deadline would shrink everything else, so it is named but not drawn.
	const to = deadlineMs && deadlineMs > end && deadlineMs - from < 3 * Math.max(1, end - from) ? deadlineMs : end;
	const pad = Math.max(1_000, (to - from) * 0.03);
	return { fromMs: from - pad, toMs: to + pad };
}

export function prepareTimeline(input: TimelineInput, width: number): TimelinePicture {
	const wide = width > 720;
	const left = wide ? 176 : 0;
	const top = 28;
	const step = wide ? 50 : 66;
	const laneY = (index: number) => top + index * step + (wide ? 14 : 32);
	const x = linear(input.fromMs, input.toMs, left, width);
	const barHeight = 16;
	const links: string[] = [];
	const all = input.lanes
		.flatMap((lane, index) => lane.segments.map((segment) => ({ segment, index })))
		.sort((a, b) => a.segment.fromMs - b.segment.fromMs);
	for (let i = 1; i < all.length; i++) {
		const before = all[i - 1];
		const after = all[i];
		if (!before || !after || before.index === after.index) continue;
		const at = x(after.segment.fromMs);
		const down = after.index > before.index;
		links.push(
			down
				? `M${at} ${laneY(before.index) + barHeight}V${laneY(after.index)}`
				: `M${at} ${laneY(before.index)}V${laneY(after.index) + barHeight}`,
		);
	}
	const deadline = input.deadline;
	return {
		wide,
		left,
		top,
		height: top + step * input.lanes.length + 24,
		barHeight,
		laneY,
		x,
		ticks: timeTicks(input.fromMs, input.toMs, Math.max(2, Math.floor((width - left) / 76))).map((tick) => ({ ...tick, x: x(tick.atMs) })),
		nowX: x(input.nowMs),
		deadlineX: deadline && deadline.atMs >= input.fromMs && deadline.atMs <= input.toMs ? x(deadline.atMs) : null,
		links,
	};
}
