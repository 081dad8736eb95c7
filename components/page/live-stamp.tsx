"use client";
import { useCallback } from "react";
import { useTime } from "#components/time/clock.tsx";
import { formatClock, formatExact } from "#components/time/format-time.ts";
import { Dot } from "#components/ui/chip.tsx";

export type LiveStatus = "live" | "connecting" | "stale";

const WORD: Record<LiveStatus, string> = { live: "Live", connecting: "Connecting", stale: "Not live" };
const TONE = { live: "ok", connecting: "neutral", stale: "warn" } as const;

/** "Live, 14:32 UTC". While the connection is lost it says so, with the time of the last news. */
export function LiveStamp({ status, lastNewsMs }: { status: LiveStatus; lastNewsMs?: number | null }) {
	const stuckAt = status === "stale" ? lastNewsMs : null;
	const text = useTime(useCallback((now: number) => formatClock(stuckAt ?? now), [stuckAt]));
	return (
		<span
			role="status"
			title={stuckAt ? `Last news ${formatExact(stuckAt)}` : undefined}
			className="inline-flex items-center gap-1.75 whitespace-nowrap text-ink-3"
		>
			<Dot tone={TONE[status]} className="size-1.5" />
			{/* The minute is for the eye: a status that is read out each minute would be a nuisance. */}
			<span className={status === "live" ? "max-md:sr-only" : undefined}>
				{WORD[status]}
				<span aria-hidden>{stuckAt ? ", last news" : ","}</span>
			</span>
			<span aria-hidden className="tabular" suppressHydrationWarning>
				{text} UTC
			</span>
		</span>
	);
}
