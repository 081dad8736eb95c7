"use client";
import { Money } from "#components/money/money.tsx";
import { Place } from "#components/place/place.tsx";
import { formatClockSeconds, formatExact, formatSpan } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { momentOf } from "./moment.ts";

type ScrubberProps = { job: JobDetail; fromMs: number; toMs: number; atMs: number | null; onChange: (atMs: number) => void };

const STEPS = 1_000;

/** A cursor over the job's life, and its state at that moment. */
export function TimelineScrubber({ job, fromMs, toMs, atMs, onChange }: ScrubberProps) {
	const trpc = useTRPC();
	const { data: decisions } = useSuspenseQuery(trpc.job.decisions.queryOptions({ id: job.id }));
	const { data: receipt } = useSuspenseQuery(trpc.job.receipt.queryOptions({ id: job.id }));
	const at = Math.min(toMs, Math.max(fromMs, atMs ?? toMs));
	const m = momentOf(job, decisions, receipt, at);
	return (
		<div className="grid gap-2 border-t px-4 py-3">
			<input
				type="range"
				aria-label="Moment of the job"
				aria-valuetext={`${formatExact(at)}, ${m.phase}`}
				min={0}
				max={STEPS}
				value={Math.round(((at - fromMs) / Math.max(1, toMs - fromMs)) * STEPS)}
				onChange={(event) => onChange(fromMs + (Number(event.currentTarget.value) / STEPS) * (toMs - fromMs))}
				className="h-6 w-full accent-accent"
			/>
			<p className="tabular flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2" suppressHydrationWarning>
				<b className="font-strong text-ink">{formatClockSeconds(at)}</b>
				<span>{m.phase}</span>
				{m.place && <Place {...m.place} />}
				{m.hourlyMicroUsd !== null && m.hourlyMicroUsd > 0n && (
					<span title="Price at the placement">
						<Money value={m.hourlyMicroUsd} kind="price" per="per hour" />
					</span>
				)}
				<span title="Metered lines until then, each spread evenly over its time">
					cost <Money value={m.costMicroUsd} />
				</span>
				<span>{m.checkpointMs === null ? "no checkpoint" : `checkpoint ${formatClockSeconds(m.checkpointMs)}`}</span>
				{m.unsavedMs !== null && <span>{formatSpan(m.unsavedMs)} unsaved</span>}
				{m.interruptions > 0 && (
					<span className="text-risk-ink">
						{m.interruptions} {m.interruptions === 1 ? "interruption" : "interruptions"}
					</span>
				)}
			</p>
		</div>
	);
}
