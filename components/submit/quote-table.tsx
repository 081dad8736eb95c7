"use client";
import type { ReactNode } from "react";
import { RunBar } from "#components/charts/run-bar.tsx";
import { timeTicks } from "#components/charts/scale.ts";
import { runAxis } from "#components/decision/decision-rows.ts";
import { Carbon } from "#components/emissions/carbon.tsx";
import { Money } from "#components/money/money.tsx";
import { PlaceSwatch } from "#components/place/place.tsx";
import { formatClockSeconds, formatExact, formatSpan } from "#components/time/format-time.ts";
import { Time } from "#components/time/relative-time.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatChance } from "#components/ui/format-number.ts";
import { Icon } from "#components/ui/icon.tsx";

import type { Way } from "./quote-ways.ts";

type Ways = { home: Way | null; burst: Way | null };

/** Owned and cloud options side by side; the one that would happen is tinted and ticked. */
export function QuoteTable({ ways, deadlineMs }: { ways: Ways; deadlineMs: number | null }) {
	const shown = [ways.home, ways.burst].filter((w) => w !== null);
	const span = Math.max(0, ...shown.map((w) => w.candidate.finish.p90Ms)) - Math.min(...shown.map((w) => w.candidate.start.p50Ms));
	const seconds = span < 10 * 60_000;
	const nowAtHome = ways.home?.candidate.outcome === "chosen";
	const row = (label: string, cell: (way: Way) => ReactNode, className?: string) => (
		<tr className={className}>
			<th scope="row" className="h-7.75 pl-4 text-left font-book text-ink-2">
				{label}
			</th>
			<Cell way={ways.home} cell={cell} />
			<Cell way={ways.burst} cell={cell} />
		</tr>
	);
	return (
		<table aria-label="Owned and burst compared" className="w-full table-fixed border-collapse border-t">
			<thead>
				<tr className="border-b">
					<td className="w-25" />
					<Head way={ways.home} capacity="owned" label={nowAtHome ? "Owned" : "Wait for owned GPUs"} />
					<Head way={ways.burst} capacity={ways.burst?.candidate.placement.capacityType ?? "spot"} label="Burst now" />
				</tr>
			</thead>
			<tbody>
				{row("Start", (w) => (
					<Range range={w.candidate.start} seconds={seconds} />
				))}
				{[ways.home, ways.burst].some((w) => w?.candidate.staging) &&
					row("Data staging", ({ candidate: { staging } }) =>
						staging ? (
							<span title={`expected ${formatSpan(staging.expectedMs)}; nine of ten transfers are within the range`}>
								{formatSpan(staging.lowMs)} to {formatSpan(staging.highMs)}
							</span>
						) : (
							<span className="text-ink-3">–</span>
						),
					)}
				{row("Finish", (w) => (
					<Range range={w.candidate.finish} seconds={seconds} />
				))}
				{deadlineMs !== null &&
					row("Deadline risk", (w) => (
						<span
							title="Share of forecast runs that miss the deadline"
							className={w.late === "on_time" ? "" : "font-semibold text-risk-ink"}
						>
							{w.deadlineRisk === null ? "–" : `${formatChance(w.deadlineRisk)}`}
						</span>
					))}
				{row(
					"Cost",
					(w) => (
						<Money value={w.candidate.totalMicroUsd} kind="estimate" />
					),
					"[&_td]:h-9.5 [&_td]:text-md [&_td]:font-bold",
				)}
				{row("Disk", (w) =>
					w.candidate.placement.capacityType === "owned" ? (
						<span className="text-ink-3">–</span>
					) : w.candidate.storageMicroUsd === undefined ? (
						<Quiet>not included</Quiet>
					) : (
						<Money value={w.candidate.storageMicroUsd} kind="estimate" />
					),
				)}
				{row("Added cost", (w) => (
					<Money value={w.candidate.cashMicroUsd} kind={w.candidate.cashMicroUsd === "0" ? "whole" : "estimate"} />
				))}
				{row("Worst case", (w) =>
					w.candidate.worstCaseMicroUsd === "0" ? (
						<span className="text-ink-3">–</span>
					) : (
						<Money value={w.candidate.worstCaseMicroUsd} kind="whole" />
					),
				)}
				{row("CO2", (w) => (w.candidate.emissionsGrams === null ? <Quiet>unknown</Quiet> : <Carbon grams={w.candidate.emissionsGrams} />))}
			</tbody>
		</table>
	);
}

/** Median and 90th percentile forecast. Seconds are shown where minutes are too coarse. */
function Range({ range, seconds }: { range: { p50Ms: number; p90Ms: number }; seconds: boolean }) {
	return (
		<>
			{seconds ? formatClockSeconds(range.p50Ms) : <Time atMs={range.p50Ms} form="short" />}
			{range.p90Ms > range.p50Ms && (
				<span title={`median ${formatExact(range.p50Ms)}, 9 in 10 by ${formatExact(range.p90Ms)}`} className="text-xs text-ink-3">
					{" "}
					to {seconds ? formatClockSeconds(range.p90Ms).slice(3) : <Time atMs={range.p90Ms} form="clock" />}
				</span>
			)}
		</>
	);
}

const Quiet = ({ children }: { children: ReactNode }) => <span className="text-xs text-ink-3">{children}</span>;

const tint = (way: Way | null) => way?.status === "taken" && "bg-[color-mix(in_oklab,var(--accent)_7%,transparent)]";

function Head({ way, capacity, label }: { way: Way | null; capacity: Way["candidate"]["placement"]["capacityType"]; label: string }) {
	return (
		<th scope="col" className={cn("h-11 pr-4 text-right font-strong", tint(way), !way && "text-ink-3")}>
			<span className="inline-flex items-center gap-1.75">
				{way?.status === "taken" && <Icon name="check" label="Selected: " className="size-3.5 text-accent" />}
				<PlaceSwatch capacity={capacity} would={way?.status !== "taken"} />
				{label}
			</span>
		</th>
	);
}

function Cell({ way, cell }: { way: Way | null; cell: (way: Way) => ReactNode }) {
	return (
		<td className={cn("num h-7.75 pr-4", tint(way), way?.status === "removed" && "text-ink-3")}>{way ? cell(way) : <Quiet>–</Quiet>}</td>
	);
}

/** Both forecast runs on one axis: the bar is the median, the whisker the 90th percentile. */
export function QuoteRuns({ ways, deadlineMs }: { ways: Ways; deadlineMs: number | null }) {
	const shown = [ways.home, ways.burst].filter((w) => w !== null);
	const rows = shown.map((w) => ({ id: w.kind, candidate: w.candidate, alike: 0, timed: true }));
	const axis = runAxis(rows, deadlineMs);
	if (!axis) return null;
	const at = (ms: number) => ((ms - axis.fromMs) / (axis.toMs - axis.fromMs)) * 100;
	return (
		<div className="grid grid-cols-[5.5rem_minmax(0,1fr)] items-center gap-x-2">
			{shown.map((w) => (
				<div key={w.kind} className="contents">
					<span className="text-xs text-ink-2">
						{w.kind === "burst" ? "Burst now" : w.candidate.outcome === "chosen" ? "Owned" : "Wait for owned GPUs"}
					</span>
					<span className="relative h-7">
						<RunBar
							axis={axis}
							startMs={w.candidate.start.p50Ms}
							finishMs={w.candidate.finish.p50Ms}
							p90Ms={w.candidate.finish.p90Ms}
							capacity={w.candidate.placement.capacityType}
							faded={w.status === "removed"}
						/>
					</span>
				</div>
			))}
			<span />
			<span aria-hidden className="tabular relative h-4 text-2xs text-ink-3">
				{timeTicks(axis.fromMs, axis.toMs, 3)
					.filter((t) => at(t.atMs) > 6 && at(t.atMs) < 94)
					.map((t) => (
						<span key={t.atMs} className="absolute -translate-x-1/2 whitespace-nowrap" style={{ left: `${at(t.atMs)}%` }}>
							{t.label}
						</span>
					))}
			</span>
		</div>
	);
}
