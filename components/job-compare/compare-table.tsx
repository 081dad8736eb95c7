"use client";
import { useState } from "react";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { type ComparedRow, compareJobs } from "./compare-jobs.ts";

const CELL = "px-2 py-1.75 align-top text-left [overflow-wrap:anywhere] first:pl-4 last:pr-4 md:px-2.5";

/** Two jobs side by side. Rows that differ are emphasized; equal fields of the job file are hidden at first. */
export function CompareTable({ a, b }: { a: string; b: string }) {
	const trpc = useTRPC();
	const [{ data: jobA }, { data: jobB }] = [
		useSuspenseQuery(trpc.job.get.queryOptions({ id: a })),
		useSuspenseQuery(trpc.job.get.queryOptions({ id: b })),
	];
	const [{ data: metricsA }, { data: metricsB }] = [
		useSuspenseQuery(trpc.job.metrics.queryOptions({ id: a })),
		useSuspenseQuery(trpc.job.metrics.queryOptions({ id: b })),
	];
	const nowMs = useTime(useMinute);
	const [showsEqual, setShowsEqual] = useState(false);
	const groups = compareJobs({ job: jobA, metrics: metricsA }, { job: jobB, metrics: metricsB }, nowMs);
	const differing = groups.flatMap(({ rows }) => rows).filter(({ differs }) => differs).length;
	const equalFields = groups.find(({ id }) => id === "file")?.rows.filter((row) => !row.differs).length ?? 0;
	const shown = groups.map(({ rows, ...group }) => ({
		...group,
		rows: group.id === "file" && !showsEqual ? rows.filter((row) => row.differs) : rows,
	}));
	const toggle = (
		<Button size="sm" onClick={() => setShowsEqual(!showsEqual)}>
			{showsEqual ? "Hide" : "Show"} {equalFields} equal {equalFields === 1 ? "field" : "fields"}
		</Button>
	);
	return (
		<Panel actions={equalFields > 0 && toggle} title={differing === 1 ? "1 difference" : `${differing} differences`} sub="marked with ≠">
			<table aria-label={`${jobA.name} and ${jobB.name}`} className="w-full table-fixed border-collapse border-t">
				<colgroup>
					<col className="w-[31%] md:w-56" />
					<col />
					<col />
				</colgroup>
				<thead>
					<tr className="border-b">
						<th scope="col" className={CELL}>
							<span className="sr-only">Quantity</span>
						</th>
						{[jobA, jobB].map((job) => (
							<th key={job.id} scope="col" className={CELL}>
								<Link href={`/jobs/${job.id}`} className="font-semibold hover:underline">
									{job.name}
								</Link>
								<span className="block text-xs font-book text-ink-3">{job.team}</span>
							</th>
						))}
					</tr>
				</thead>
				{shown
					.filter(({ rows }) => rows.length > 0)
					.map(({ id, title, rows }) => (
						<tbody key={id}>
							<tr>
								<th scope="colgroup" colSpan={3} className={cn(CELL, "border-y bg-sunken text-xs font-strong text-ink-3")}>
									{title}
								</th>
							</tr>
							{rows.map((row) => (
								<Row key={row.label} row={row} />
							))}
						</tbody>
					))}
			</table>
		</Panel>
	);
}

const useMinute = (now: number): number => Math.floor(now / 60_000) * 60_000;

function Row({ row: { label, a, b, differs } }: { row: ComparedRow }) {
	const value = (text: string | null) => (
		<td className={cn(CELL, "tabular", differs ? "font-strong text-ink" : "text-ink-3")}>
			{text ?? <span className="text-ink-3">–</span>}
		</td>
	);
	return (
		<tr className={cn("hairline-b", differs && "bg-[color-mix(in_oklab,var(--accent)_6%,var(--panel))]")}>
			<th scope="row" className={cn(CELL, differs ? "font-strong text-ink" : "font-book text-ink-3")}>
				{differs && (
					<>
						<span aria-hidden>≠{"\u00a0"}</span>
						<span className="sr-only">Differs: </span>
					</>
				)}
				{/* A zero-width space lets paths break after their dots. */}
				{label.replaceAll(".", ".\u200b")}
			</th>
			{value(a)}
			{value(b)}
		</tr>
	);
}
