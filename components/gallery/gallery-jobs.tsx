"use client";
import Link from "next/link";
import { useMemo, useState } from "react";
import { BulkBar, BulkButton } from "#components/data-table/bulk-bar.tsx";
import { ColumnMenu } from "#components/data-table/column-menu.tsx";
import { DataTable } from "#components/data-table/data-table.tsx";
import type { Column, Sort } from "#components/data-table/model.ts";
import { type JobStateName, StateGlyph, StateMark } from "#components/job-state/state-mark.tsx";
import { Money } from "#components/money/money.tsx";
import { type CapacityKind, Place } from "#components/place/place.tsx";
import { Deadline } from "#components/time/deadline.tsx";
import { RangeAxis, RangeMark } from "#components/time/range-mark.tsx";
import { Span, Time } from "#components/time/relative-time.tsx";

type Job = {
	id: string;
	name: string;
	state: JobStateName;
	team: string;
	klass: string;
	gpus: number;
	capacity: CapacityKind;
	place: string;
	waitedMs: number;
	atMs: number;
	p50Ms: number;
	cost: bigint;
	total: bigint;
	progress: number;
};

const NAMES = ["fraud-v7", "clip-domain-adapt", "esm-fold-650m", "seg-large-ft", "rerank-distil", "demand-tft", "embed-refresh"];
const TEAMS = ["risk", "vision", "genomics", "search", "forecasting"];
const PLACES: [CapacityKind, string][] = [
	["spot", "gcp europe-west4"],
	["owned", "hall-b"],
	["spot", "aws us-east-2"],
	["owned", "hall-b"],
	["on_demand", "aws us-west-2"],
];

function jobs(nowMs: number, state: JobStateName, count: number): Job[] {
	return Array.from({ length: count }, (_, i) => {
		const [capacity, place] = PLACES[i % 5] ?? ["owned", "hall-b"];
		return {
			id: `${state}_${i}`,
			name: `${NAMES[i % 7]}${i > 6 ? `-${i}` : ""}`,
			state,
			team: TEAMS[i % 5] ?? "",
			klass: i % 3 ? "baseline" : "burst",
			gpus: [8, 4, 2, 1][i % 4] ?? 1,
			capacity,
			place,
			waitedMs: (i + 3) * 7 * 60_000,
			atMs: nowMs - (i + 1) * 47 * 60_000,
			p50Ms: (12 + i * 9) * 60_000,
			cost: BigInt(i + 1) * 31_140_000n,
			total: BigInt(i + 2) * 90_460_000n,
			progress: (i * 0.17) % 1,
		};
	});
}

const COLUMNS: Column<Job>[] = [
	{
		id: "name",
		name: "Job",
		header: "Job",
		sort: "ascending",
		cell: (j) => (
			<Link href={`/jobs/${j.id}`} className="font-strong hover:underline">
				{j.name}
			</Link>
		),
	},
	{ id: "state", name: "State", header: "State", width: 100, cell: (j) => <StateMark state={j.state} progress={j.progress} /> },
	{ id: "team", name: "Team", header: "Team", width: 90, hideBelow: "wide", cell: (j) => j.team },
	{ id: "class", name: "Class", header: "Class", width: 76, hideBelow: "full", cell: (j) => <span className="text-ink-3">{j.klass}</span> },
	{ id: "gpus", name: "GPUs", header: "GPUs", n: true, width: 50, sort: "descending", cell: (j) => j.gpus },
	{
		id: "place",
		name: "Place",
		header: "Runs at, or would go to",
		width: 186,
		cell: (j) => <Place capacity={j.capacity} provider={j.place} would={j.state === "queued"} />,
	},
	{
		id: "waited",
		name: "Waited",
		header: "Waited",
		n: true,
		width: 76,
		hideBelow: "wide",
		sort: "descending",
		cell: (j) => <Span ms={j.waitedMs} />,
	},
	{
		id: "start",
		name: "Start",
		width: 188,
		hideBelow: "rail",
		header: (
			<span className="grid grid-cols-[5rem_auto] items-center">
				Start
				<RangeAxis
					ticks={[
						{ share: 0, label: "now" },
						{ share: 0.5, label: "2 h" },
						{ share: 1, label: "4 h" },
					]}
				/>
			</span>
		),
		cell: (j) =>
			j.state === "queued" ? (
				<span className="inline-grid grid-cols-[5rem_auto] items-center align-middle">
					<Span ms={j.p50Ms} estimate />
					<RangeMark
						p10Ms={j.p50Ms * 0.5}
						p50Ms={j.p50Ms}
						p90Ms={j.p50Ms * 1.8}
						axisMs={240 * 60_000}
						place={j.capacity === "owned" ? "owned" : "cloud"}
					/>
				</span>
			) : (
				<span className="text-ink-3">
					since <Time atMs={j.atMs} form="short" />
				</span>
			),
	},
	{
		id: "cost",
		name: "Cost so far",
		header: "Cost so far",
		n: true,
		width: 88,
		sort: "descending",
		cell: (j) => j.state !== "queued" && <Money value={j.cost} />,
	},
	{
		id: "total",
		name: "Total",
		header: "Total",
		n: true,
		width: 74,
		sort: "descending",
		cell: (j) => <Money value={j.total} kind="estimate" />,
	},
	{
		id: "room",
		name: "Room to deadline",
		header: "Room to deadline",
		n: true,
		width: 152,
		cell: (j) => <Deadline deadlineMs={j.atMs + 20 * 3_600_000} submittedMs={j.atMs} remainingMs={j.progress * 8 * 3_600_000} />,
	},
];

export function GalleryJobs({ nowMs }: { nowMs: number }) {
	const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
	const [sort, setSort] = useState<Sort | null>(null);
	const [visible, setVisible] = useState<ReadonlySet<string>>(new Set(COLUMNS.map((c) => c.id)));
	const groups = useMemo(
		() => [
			{
				id: "running",
				label: "Running",
				rows: jobs(nowMs, "running", 9),
				sums: {
					gpus: 69,
					place: "$54.86 an hour in the cloud",
					cost: <Money value={1_249_830_000n} />,
					total: <Money value={5_043_000_000n} kind="estimate" />,
				},
			},
			{
				id: "queued",
				label: "Queued",
				rows: jobs(nowMs, "queued", 400),
				count: 400,
				sums: { gpus: 58, place: "A new job would start in 42 min", total: <Money value={5_125_000_000n} kind="estimate" /> },
			},
		],
		[nowMs],
	);
	return (
		<section aria-label="Jobs" className="border-t">
			<div className="flex justify-end px-6 py-2">
				<ColumnMenu columns={COLUMNS} visible={visible} onChange={setVisible} fixed={["name"]} />
			</div>
			<DataTable
				label="Jobs"
				columns={COLUMNS}
				visible={visible}
				groups={groups}
				rowId={(j) => j.id}
				rowName={(j) => j.name}
				selection={{ selected, onChange: setSelected }}
				sort={sort}
				onSort={setSort}
				phone={(j) => ({
					mark: <StateGlyph state={j.state} progress={j.progress} />,
					a: (
						<Link href={`/jobs/${j.id}`} className="font-strong">
							{j.name}
						</Link>
					),
					b: <Money value={j.total} kind="estimate" />,
					c: <Place capacity={j.capacity} provider={j.place} would={j.state === "queued"} />,
					d:
						j.state === "queued" ? (
							<>
								starts in <Span ms={j.p50Ms} estimate />
							</>
						) : (
							<>
								since <Time atMs={j.atMs} form="short" />
							</>
						),
				})}
			/>
			<BulkBar count={selected.size} facts="12 GPUs, waiting" onClear={() => setSelected(new Set())}>
				<BulkButton>Change class</BulkButton>
				<BulkButton>Cancel jobs</BulkButton>
			</BulkBar>
		</section>
	);
}
