"use client";
import { useCallback } from "react";
import { useTime } from "#components/time/clock.tsx";
import { formatClock, formatExact, formatRelative, formatShort, formatSpan } from "#components/time/format-time.ts";
import { cn } from "#components/ui/cn.ts";
import { factAttributes } from "#components/ui/fact-attributes.ts";

type TimeProps = {
	/** Milliseconds since the epoch. */
	atMs: number;
	/** relative: "18 min ago"; short: "14:32", "Wed 17:26"; clock: "14:32". */
	form?: "relative" | "short" | "clock";
	className?: string;
	/** Name of a time that other screens also show. */
	fact?: string;
};

/** A time with the exact UTC value on hover. Tabular figures keep the layout stable. */
export function Time({ atMs, form = "relative", fact, className }: TimeProps) {
	const derive = useCallback(
		(now: number) => (form === "relative" ? formatRelative(atMs, now) : form === "short" ? formatShort(atMs, now) : formatClock(atMs)),
		[atMs, form],
	);
	const text = useTime(derive);
	return (
		<time
			{...(fact && factAttributes(fact, atMs))}
			dateTime={new Date(atMs).toISOString()}
			title={formatExact(atMs)}
			className={cn("tabular whitespace-nowrap", className)}
			suppressHydrationWarning
		>
			{text}
		</time>
	);
}

/** Elapsed time; ticks until `untilMs` is given. */
export function Elapsed({
	sinceMs,
	untilMs,
	precise = false,
	className,
}: {
	sinceMs: number;
	untilMs?: number | null;
	precise?: boolean;
	className?: string;
}) {
	const derive = useCallback(
		(now: number) => formatSpan(Math.max(0, Math.floor(((untilMs ?? now) - sinceMs) / 1_000) * 1_000), precise),
		[sinceMs, untilMs, precise],
	);
	const text = useTime(derive);
	return (
		<span title={`since ${formatExact(sinceMs)}`} className={cn("tabular whitespace-nowrap", className)} suppressHydrationWarning>
			{text}
		</span>
	);
}
