"use client";
import { useCallback } from "react";
import { useTime } from "#components/time/clock.tsx";
import { formatExact, formatSpan } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";

type DeadlineProps = {
	deadlineMs: number;
	/** When it was submitted: the room it had then is the whole bar. */
	submittedMs: number;
	/** The work that is still to do, so that room is what is left after it. */
	remainingMs: number;
	/** When that work began to be done, while it runs: from then on it shrinks as time goes. */
	workingSinceMs?: number | null;
	/** When the job has ended: then the bar gives way to "met, 1 h 50 early" or "14 min late". */
	finishedMs?: number | null;
	className?: string;
};

/** Room to the deadline as a bar that burns down: empty is late. Below a quarter it turns to the warning colour and the figure bold. */
export function Deadline({ deadlineMs, submittedMs, remainingMs, workingSinceMs = null, finishedMs, className }: DeadlineProps) {
	const whole = Math.max(1, deadlineMs - submittedMs - remainingMs);
	const room = useTime(
		useCallback(
			(now: number) => {
				const doneMs = workingSinceMs === null ? 0 : Math.max(0, now - workingSinceMs);
				return Math.floor((deadlineMs - now - Math.max(0, remainingMs - doneMs)) / 1_000) * 1_000;
			},
			[deadlineMs, remainingMs, workingSinceMs],
		),
	);
	const title = `Deadline ${formatExact(deadlineMs)}`;
	if (finishedMs !== undefined && finishedMs !== null) {
		const early = deadlineMs - finishedMs;
		return (
			<span title={title} className={cn("tabular whitespace-nowrap", early < 0 ? "font-semibold text-risk-ink" : "text-ink-3", className)}>
				{early < 0 ? `${formatSpan(-early)} late` : `met, ${formatSpan(early)} early`}
			</span>
		);
	}
	const share = Math.min(1, Math.max(0, room / whole));
	const late = room < 0;
	const low = share < 0.25;
	return (
		<span
			title={title}
			suppressHydrationWarning
			className={cn("inline-grid w-full max-w-29 grid-cols-[1fr_auto] items-center gap-1.5 align-top", className)}
		>
			<span aria-hidden className="mark-exact block h-1.25 overflow-hidden rounded-[3px] bg-line">
				<span
					suppressHydrationWarning
					className={cn("block h-full rounded-[3px]", late ? "bg-risk" : low ? "bg-warn" : "bg-ink-3")}
					style={{ width: late ? "100%" : `${(share * 100).toFixed(1)}%` }}
				/>
			</span>
			<span suppressHydrationWarning className={cn("num min-w-15", late ? "font-semibold text-risk-ink" : low && "font-semibold")}>
				{late ? `${formatSpan(-room)} late` : formatSpan(room)}
			</span>
		</span>
	);
}
