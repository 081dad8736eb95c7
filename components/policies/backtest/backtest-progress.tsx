"use client";
import { useTime } from "#components/time/clock.tsx";
import { formatSpan } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Meter } from "#components/ui/meter.tsx";
import { backtestLeftMs } from "./backtest-left.ts";

/** Progress of a backtest, and its estimated time left. */
export function BacktestProgress({ backtest }: { backtest: Outputs["backtest"]["get"] }) {
	const percent = Math.floor(backtest.progressPermille / 10);
	const left = useTime((nowMs) => {
		const ms = backtestLeftMs(backtest, nowMs);
		return ms === null ? "" : `, about ${formatSpan(ms)} left`;
	});
	return (
		<div className="grid gap-2">
			<Meter value={percent} max={100} fill="accent" label={`Backtest ${percent}%`} className="h-2" />
			<p role="status" className="tabular text-ink-2" suppressHydrationWarning>
				{backtest.state === "queued" ? "Backtest queued for the scheduler." : `Backtest ${percent}%${left}.`}
			</p>
		</div>
	);
}
