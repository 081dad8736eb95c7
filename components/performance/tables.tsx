"use client";
import { EmptyState } from "#components/page/states.tsx";
import { gpuHours, lostHours, NONE, span, use } from "#components/performance/figures.ts";
import { type Item, type Sums, usePerformance } from "#components/performance/use-performance.ts";
import { BY_LABEL, type PerformanceView } from "#components/performance/view.ts";
import { formatDay, formatMonth } from "#components/time/format-time.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

interface Column {
	head: string;
	title?: string;
	cell: (sums: Sums) => string;
}

const MODELS: Column = { head: "Models", cell: (s) => formatCount(s.models) };
const P50_WAIT: Column = { head: "P50 wait", cell: (s) => span(s.waits?.p50S) };
const P95_WAIT: Column = { head: "P95 wait", cell: (s) => span(s.waits?.p95S) };
const MEAN_MODEL: Column = { head: "Time to model", title: "mean, from submission to the end", cell: (s) => span(s.timeToModel?.meanS) };
const P95_MODEL: Column = { head: "P95", cell: (s) => span(s.timeToModel?.p95S) };
const GPU_HOURS: Column = { head: "GPU-hours", cell: (s) => gpuHours(s.gpuHours) };
const GPU_USE: Column = { head: "GPU use", cell: (s) => use(s.gpuUtilisation) };
const FAILED: Column = { head: "Failed", cell: (s) => formatCount(s.failed) };
const INTERRUPTED: Column = { head: "Interrupted", cell: (s) => formatCount(s.interruptions) };
const LOST: Column = { head: "Lost GPU-h", title: "failed, interrupted, evicted or lost", cell: (s) => gpuHours(lostHours(s)) };
const PER_1000: Column = {
	head: "Interruptions per 1,000 GPU-h",
	title: "interruptions for each 1,000 GPU-hours",
	cell: (s) => (s.gpuHours === 0 ? NONE : ((s.interruptions / s.gpuHours) * 1000).toFixed(1)),
};

/** By the chosen dimension, with totals. */
export function BreakdownTable({ view }: { view: PerformanceView }) {
	const { groups } = usePerformance(view);
	const columns = [MODELS, P50_WAIT, P95_WAIT, MEAN_MODEL, P95_MODEL, GPU_HOURS, GPU_USE, FAILED, INTERRUPTED, LOST];
	const nameOf = (item: Item): string => (view.by === "day" ? formatDay(Date.parse(item.key)) : item.key || "none");
	return (
		<SumsTable label="Breakdown" first={BY_LABEL[view.by]} items={groups.items} totals={groups.totals} columns={columns} nameOf={nameOf} />
	);
}

/** Each owned cluster and each cloud account. */
export function SitesTable({ view }: { view: PerformanceView }) {
	const { sites } = usePerformance(view);
	const columns = [MODELS, P50_WAIT, P95_WAIT, MEAN_MODEL, GPU_HOURS, GPU_USE, INTERRUPTED, PER_1000, LOST];
	return (
		<div className="min-w-0">
			<PanelHeader title="Sites" sub="jobs by last placement" />
			<SumsTable
				label="Sites"
				first="Site"
				items={sites.items}
				totals={null}
				columns={columns}
				nameOf={({ key }) => key || "never placed"}
			/>
		</div>
	);
}

/** Models finished, and hours from submission to model, month against month. */
export function MonthsTable({ view }: { view: PerformanceView }) {
	const { months } = usePerformance(view);
	const columns = [MODELS, MEAN_MODEL, P95_MODEL, P95_WAIT, GPU_HOURS, GPU_USE, LOST];
	const nameOf = ({ key }: Item): string => formatMonth(Date.parse(`${key}-01T00:00:00Z`));
	return (
		<div className="min-w-0">
			<PanelHeader title="Months" sub={`last 12 months, ${months.zone}`} />
			<SumsTable label="Months" first="Month" items={months.items.toReversed()} totals={null} columns={columns} nameOf={nameOf} />
		</div>
	);
}

/** GPU-hours without a result, by cause. */
export function LostTable({ view }: { view: PerformanceView }) {
	const { totals } = usePerformance(view).groups;
	const causes = Object.entries(CAUSES) as [keyof Sums["lostGpuHours"], string][];
	const most = Math.max(...causes.map(([cause]) => totals.lostGpuHours[cause]), 1e-9);
	return (
		<div className="min-w-0">
			<PanelHeader title="Lost GPU-hours" sub="whole attempts, work saved in checkpoints included" />
			<Table aria-label="Lost GPU-hours by cause" stacks={false}>
				<thead>
					<tr>
						<Th>Cause</Th>
						<Th className="w-2/5 max-md:hidden">Share</Th>
						<Th n>GPU-hours</Th>
					</tr>
				</thead>
				<tbody>
					{causes.map(([cause, label]) => (
						<Tr key={cause}>
							<Td className="h-8.5">{label}</Td>
							<Td className="h-8.5 max-md:hidden">
								<span className="block h-2 rounded-sm bg-risk" style={{ width: `${(totals.lostGpuHours[cause] / most) * 100}%` }} />
							</Td>
							<Td n className="h-8.5">
								{gpuHours(totals.lostGpuHours[cause])}
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</div>
	);
}

const CAUSES: Record<keyof Sums["lostGpuHours"], string> = {
	failed: "Job failed",
	interrupted: "Spot reclaimed",
	evicted: "Evicted",
	lost: "Machine lost",
	cancelled: "Canceled by a person",
};

type SumsTableProps = {
	label: string;
	first: string;
	items: readonly Item[];
	totals: Sums | null;
	columns: readonly Column[];
	nameOf: (item: Item) => string;
};

function SumsTable({ label, first, items, totals, columns, nameOf }: SumsTableProps) {
	if (items.length === 0) {
		return (
			<EmptyState icon="performance" title="No finished jobs in this range" className="py-10">
				Choose a longer range.
			</EmptyState>
		);
	}
	const cells = (sums: Sums, strong = false) =>
		columns.map(({ head, cell }) => (
			<Td n key={head} className={strong ? "h-9 font-semibold" : "h-9"}>
				{cell(sums)}
			</Td>
		));
	return (
		<Table aria-label={label} stacks={false}>
			<thead>
				<tr>
					<Th>{first}</Th>
					{columns.map(({ head, title }) => (
						<Th n key={head} title={title}>
							{head}
						</Th>
					))}
				</tr>
			</thead>
			<tbody>
				{items.map((item) => (
					<Tr key={item.key}>
						<Td className="h-9 font-medium">{nameOf(item)}</Td>
						{cells(item)}
					</Tr>
				))}
				{totals && (
					<Tr>
						<Td className="h-9 font-semibold">Total</Td>
						{cells(totals, true)}
					</Tr>
				)}
			</tbody>
		</Table>
	);
}
