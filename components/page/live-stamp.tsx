"use client";
import { useCallback } from "react";
import { useTime } from "#components/time/clock.tsx";
import { formatClock, formatExact } from "#components/time/format-time.ts";
import { Dot } from "#components/ui/chip.tsx";

export type LiveStatus = "live" | "connecting" | "stale";

const WORD: Record<LiveStatus, string> = { live: "Live", connecting: "Connecting", stale: "Offline" };
const TONE = { live: "ok", connecting: "neutral", stale: "warn" } as const;

/** "Live, 14:32 UTC". While disconnected, shows the time of the last update. */
export function LiveStamp({ status, lastNewsMs }: { status: LiveStatus; lastNewsMs?: number | null }) {
	const stuckAt = status === "stale" ? lastNewsMs : null;
	const text = useTime(useCallback((now: number) => formatClock(stuckAt ?? now), [stuckAt]));
	return (
		<span
			role="status"
			title={stuckAt ? `Last update ${formatExact(stuckAt)}` : undefined}
			className="inline-flex items-center gap-1.75 whitespace-nowrap text-ink-3"
		>
			<Dot tone={TONE[status]} className="size-1.5" />
			{/** The time is hidden from screen readers, which would otherwise announce it every minute. */}
			<span className={status === "live" ? "max-md:sr-only" : undefined}>
				{WORD[status]}
				<span aria-hidden>{stuckAt ? ", last update" : ","}</span>
			</span>
			<span aria-hidden className="tabular" suppressHydrationWarning>
				{text} UTC
			</span>
		</span>
	);
}
