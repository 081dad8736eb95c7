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
	kind: LaneKind /** In words, for hovering and for screen readers. */;
	label: string;
};
export type Lane = {
	id: string;
	/** "aws us-east-2 spot" */
	title: string;
	/** "attempt 1, 2 h 44" */
	sub: string;
	segments: readonly LaneSegment[];
	/** Times at which a checkpoint was saved. */
	checkpointsMs?: readonly number[];
	/** What ended it before its time. */
	interruption?: { atMs: number; title: string; detail?: string } | null;
	/** Where 9 in 10 forecasts are through, and what is written there. */
	whisker?: { toMs: number; text: string } | null;
	/** Over the end of the lane: "≈ 02:32". */
	endText?: string;
	/** Inside or behind the lane, quiet: "12 h of work left". */
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
	/** Lines from where a lane ends to where the next begins. */
	links: string[];
};

/** A little room on both sides of all that happened, happens and should happen. */
export function timelineBounds(lanes: readonly Lane[], nowMs: number, deadlineMs?: number | null): { fromMs: number; toMs: number } {
	const times = [
		nowMs,
		...lanes.flatMap((lane) => [...lane.segments.flatMap((s) => [s.fromMs, s.toMs]), ...(lane.whisker ? [lane.whisker.toMs] : [])]),
	];
	const from = Math.min(...times);
	const end = Math.max(...times);
	// A deadline far away would press everything else into a corner: it is then named, and not drawn.
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
