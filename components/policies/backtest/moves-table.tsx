"use client";
import { Fragment, useState } from "react";
import { Money } from "#components/money/money.tsx";
import { PlaceSwatch } from "#components/place/place.tsx";
import {
	capacityOf,
	type MoveFilter,
	type MoveRow,
	matches,
	prepareMoves,
	signedSpan,
	signedWeight,
} from "#components/policies/backtest/prepare-result.ts";
import { formatDay, formatSpan } from "#components/time/format-time.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import type { BacktestPlace, BacktestResult } from "#server/domain/backtest.ts";

const SHOWN_FIRST = 8;
const SHOWN_MORE = 50;

/** Jobs that would move; each expands to both policies' results side by side. */
export function MovesTable({ result, baseVersion, toMs }: { result: BacktestResult; baseVersion: number; toMs: number }) {
	const [filter, setFilter] = useState<MoveFilter>("all");
	const [shown, setShown] = useState(SHOWN_FIRST);
	const rows = prepareMoves(result.moved, toMs);
	const of = (f: MoveFilter) => rows.filter((row) => matches(row, f));
	const chosen = of(filter);
	const listed = result.movedCount > rows.length ? `, top ${rows.length} by cost change` : "";
	const options = (["all", "later", "late"] as const).map((value) => ({
		value,
		label: `${{ all: "All", later: "Later", late: "Newly late" }[value]} ${formatCount(of(value).length)}`,
	}));
	return (
		<Panel
			title="Jobs that would move"
			sub={`${formatCount(result.movedCount)} of ${formatCount(result.draft.jobs)}${listed}`}
			actions={
				rows.length > 0 && (
					<SegmentedControl label="Filter jobs" name="backtest-moves" value={filter} options={options} onChange={setFilter} />
				)
			}
		>
			{chosen.length === 0 ? (
				<p className="px-4 pb-4 text-ink-3">{rows.length === 0 ? "No job would move." : "None."}</p>
			) : (
				<Table aria-label="Jobs that would move">
					<thead>
						<tr>
							<Th>Job</Th>
							<Th>Version {baseVersion} → draft</Th>
							<Th n>Cloud cost</Th>
							<Th n>Wait</Th>
							<Th n>CO2e</Th>
							<Th n>Deadline slack</Th>
						</tr>
					</thead>
					<tbody>
						{chosen.slice(0, shown).map((row) => (
							<MoveLines key={row.move.jobId} row={row} baseVersion={baseVersion} />
						))}
					</tbody>
				</Table>
			)}
			{chosen.length > shown && (
				<div className="border-t px-4 py-2">
					<Button variant="link" onClick={() => setShown(shown + SHOWN_MORE)}>
						{formatCount(Math.min(SHOWN_MORE, chosen.length - shown))} more
					</Button>
				</div>
			)}
		</Panel>
	);
}

function MoveLines({ row, baseVersion }: { row: MoveRow; baseVersion: number }) {
	const [open, setOpen] = useState(false);
	const { move } = row;
	const id = `moved-${move.jobId}`;
	return (
		<Fragment>
			<Tr>
				<Td phone="a" className="h-12">
					<button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)} className="grid text-left">
						<span className="font-strong underline-offset-3 hover:underline">{move.name}</span>
						<span className="text-xs text-ink-3">
							{move.team}, {move.gpus} {move.gpus === 1 ? "GPU" : "GPUs"}, {formatDay(move.submittedAtMs, false)}
						</span>
					</button>
				</Td>
				<Td phone="c">
					<span className="inline-flex flex-wrap items-center gap-x-2">
						<PlaceName place={move.published} />
						<span aria-hidden className="text-ink-3">
							→
						</span>
						<PlaceName place={move.draft} />
					</span>
				</Td>
				<Td n phone="b">
					<Money value={row.costMicroUsd} kind="whole" signed />
				</Td>
				<Td n>{signedSpan(row.waitMs)}</Td>
				<Td n>{signedWeight(row.grams)}</Td>
				<Td n phone="d" className={cn(row.newlyLate && "text-risk-ink font-strong")}>
					{deadlineText(row)}
				</Td>
			</Tr>
			{open && (
				<tr id={id} className="max-md:block">
					<td colSpan={6} className="hairline-b bg-sunken px-4 py-3 max-md:block">
						<div className="grid gap-3 md:grid-cols-2">
							<Explained title={`Version ${baseVersion}`} place={move.published} />
							<Explained title="Draft" place={move.draft} />
						</div>
						<p className="mt-2 text-xs">
							<Link href={`/jobs/${move.jobId}`} className="text-accent underline-offset-3 hover:underline">
								Actual run
							</Link>
						</p>
					</td>
				</tr>
			)}
		</Fragment>
	);
}

function Explained({ title, place }: { title: string; place: BacktestPlace }) {
	return (
		<div className="min-w-0">
			<h3 className="text-xs font-strong text-ink-2">{title}</h3>
			<p className="text-pretty">{place.explanation}</p>
			<p className="tabular text-xs text-ink-3">
				<Money value={place.costMicroUsd} kind="whole" />,{" "}
				{place.waitMs === null ? "not started by the end" : `started after ${formatSpan(place.waitMs)}`}
			</p>
		</div>
	);
}

function PlaceName({ place: { place } }: { place: BacktestPlace }) {
	if (place === null) return <span className="text-ink-3">not started</span>;
	return (
		<span className="inline-flex items-center gap-1.5">
			<PlaceSwatch capacity={capacityOf(place)} />
			<span className="font-strong">{place}</span>
		</span>
	);
}

function deadlineText({ move, spareMs, newlyLate }: MoveRow): string {
	if (move.deadlineAtMs === null) return "none";
	if (spareMs === null) return newlyLate ? "late at the end" : "unfinished at the end";
	return spareMs < 0 ? `late by ${formatSpan(-spareMs)}` : `${formatSpan(spareMs)} early`;
}
