"use client";
import { useCallback } from "react";
import { useTime } from "#components/time/clock.tsx";
import { formatExact, formatSpan } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";

type DeadlineProps = {
	deadlineMs: number;
	/** Submission time: the slack at that time is the full bar. */
	submittedMs: number;
	/** Remaining work; slack is the time left after it. */
	remainingMs: number;
	/** Start of the running work; the remaining work shrinks from then on. */
	workingSinceMs?: number | null;
	/** End of the job: replaces the bar with "met, 1 h 50 early" or "14 min late". */
	finishedMs?: number | null;
	className?: string;
};

/** Deadline slack as a shrinking bar; empty means late. Below a quarter it uses the warning color and bold text. */
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
