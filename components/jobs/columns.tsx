import type { Column, PhoneFacts } from "#components/data-table/model.ts";
import { formatSpan } from "#components/time/format-time.ts";
import { RangeAxis } from "#components/time/range-mark.tsx";
import type { JobView } from "#components/trpc/outputs.ts";
import { Link } from "#components/ui/link.tsx";
import { LABELS } from "#server/domain/vocabulary.ts";
import { JobCost, JobGlyph, JobPlace, JobRoom, JobStart, JobState, JobTotal, JobWaited } from "./cells.tsx";
import type { HourlyRates } from "./estimate.ts";

const MINUTE = 60_000;
const AXES = [2, 5, 10, 20, 40, 60, 120, 240, 480, 1440, 2880, 5760].map((minutes) => minutes * MINUTE);

/** Shared forecast axis: the shortest round span that includes nine in ten forecast starts. */
export function startAxis(jobs: readonly JobView[], nowMs: number): number {
	const ends = jobs.flatMap((job) => (job.forecast ? [job.forecast.p90Ms - nowMs] : [])).sort((a, b) => a - b);
	const most = ends[ends.length < 20 ? ends.length - 1 : Math.floor(ends.length * 0.9)] ?? 0;
	return AXES.find((axis) => axis >= most) ?? 5760 * MINUTE;
}

/** "2 h", "1 d": short forms for an axis. */
const formatHours = (ms: number) => formatSpan(ms).replace(/ 00$/, "");

export function jobColumns({ axisMs, rates, sortable }: { axisMs: number; rates: HourlyRates; sortable: boolean }): Column<JobView>[] {
	const sort = (direction: "ascending" | "descending") => (sortable ? { sort: direction } : {});
	return [
		{
			id: "name",
			name: "Job",
			header: "Job",
			...sort("ascending"),
			cell: (job) => (
				<Link href={`/jobs/${job.id}`} title={job.name} className="font-strong hover:underline">
					{job.name}
				</Link>
			),
		},
		{ id: "state", name: "State", header: "State", width: 106, cell: (job) => <JobState job={job} /> },
		{ id: "team", name: "Team", header: "Team", width: 84, hideBelow: "wide", ...sort("ascending"), cell: (job) => job.team },
		{
			id: "class",
			name: "Class",
			header: "Class",
			width: 90,
			hideBelow: "full",
			cell: (job) => (
				<span className="text-ink-3" title={LABELS[job.class]}>
					{job.class === "batch_inference" ? "batch" : LABELS[job.class]}
				</span>
			),
		},
		{ id: "gpus", name: "GPUs", header: "GPUs", n: true, width: 46, ...sort("descending"), cell: (job) => job.gpus },
		{
			id: "place",
			name: "Place",
			header: "Current or expected location",
			width: 186,
			cell: (job) => <JobPlace job={job} rates={rates} />,
		},
		{
			id: "waited",
			name: "Waited",
			header: "Waited",
			n: true,
			width: 64,
			hideBelow: "full",
			...sort("descending"),
			cell: (job) => <JobWaited job={job} />,
		},
		{
			id: "start",
			name: "Start",
			width: 156,
			hideBelow: "wide",
			header: (
				<span className="inline-grid grid-cols-[4.25rem_auto] items-center">
					Start
					<RangeAxis
						ticks={[
							{ share: 0, label: "now" },
							// Minutes need the width of two labels.
							...(axisMs % (2 * 60 * MINUTE) === 0 ? [{ share: 0.5, label: formatHours(axisMs / 2) }] : []),
							{ share: 1, label: formatHours(axisMs) },
						]}
					/>
				</span>
			),
			cell: (job) => <JobStart job={job} axisMs={axisMs} />,
		},
		{
			id: "cost",
			name: "Cost so far",
			header: "Cost",
			n: true,
			width: 76,
			...sort("descending"),
			cell: (job) => <JobCost job={job} />,
		},
		{
			id: "total",
			name: "Total",
			header: "Total",
			n: true,
			width: 92,
			...sort("descending"),
			cell: (job) => <JobTotal job={job} rates={rates} />,
		},
		{
			id: "room",
			name: "Deadline slack",
			header: "Deadline slack",
			n: true,
			width: 140,
			...sort("ascending"),
			cell: (job) => <JobRoom job={job} />,
		},
	];
}

/** Two lines of four values. */
export function jobPhoneFacts(job: JobView, rates: HourlyRates, axisMs: number): PhoneFacts {
	return {
		mark: <JobGlyph job={job} />,
		a: (
			<Link href={`/jobs/${job.id}`} className="font-strong">
				{job.name}
			</Link>
		),
		b: <JobTotal job={job} rates={rates} />,
		c: <JobPlace job={job} rates={rates} />,
		d: <JobStart job={job} axisMs={axisMs} />,
	};
}
