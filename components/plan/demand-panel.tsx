import { describeError } from "#components/page/error-boundary.tsx";
import { ErrorState } from "#components/page/states.tsx";
import { LoadChart, WeekChart } from "#components/plan/plan-charts.tsx";
import type { StudyFilter } from "#components/plan/use-study-filter.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { Select } from "#components/ui/input.tsx";
import { Panel, PanelHeader, PanelSplit } from "#components/ui/panel.tsx";

/** The demand of all work, or of the team, class and GPU model that the URL names. */
export function DemandPanel({ filter }: { filter: StudyFilter }) {
	const { team, workloadClass, gpu, setFilter, names, jobs, error, refetch, shown } = filter;
	const { history, capacity, demand } = shown;
	if (error)
		return (
			<Panel>
				<ErrorState title="Could not load this demand" detail={describeError(error).detail} onRetry={() => void refetch()} />
			</Panel>
		);
	return (
		<Panel>
			{names && (
				<div className="flex flex-wrap items-center gap-2 px-4 pt-3 print:hidden">
					<Filter label="Team" names={names.teams} value={team} onChange={(value) => void setFilter({ team: value })} />
					<Filter label="Class" names={names.classes} value={workloadClass} onChange={(value) => void setFilter({ class: value })} />
					<Filter label="GPU model" names={names.gpus} value={gpu} onChange={(value) => void setFilter({ gpu: value })} />
					<span role="status" className="tabular text-ink-2">
						{formatCount(jobs)} jobs
					</span>
				</div>
			)}
			<PanelSplit columns="minmax(0,1fr) minmax(0,1fr)" from="wide">
				<div className="min-w-0 pb-3">
					<PanelHeader title="Load duration" sub={`GPUs requested over ${formatCount(history.days)} days, busiest hours first`} />
					<LoadChart demand={demand} capacityGpus={capacity.gpus} />
					<p className="px-4 pt-2 text-pretty text-ink-2">
						{demand.baseline.map(({ shareOfWork, gpus }) => `${formatCount(gpus)} GPUs carry ${formatPercent(shareOfWork)}`).join(", ")} of
						the work. {formatCount(capacity.gpus)} are owned{capacity.basis === "given" ? "" : " (estimated from the history)"}.
					</p>
				</div>
				<div className="min-w-0 pb-3">
					<PanelHeader title="Hour of the week" sub="mean GPUs, UTC" />
					<WeekChart demand={demand} capacityGpus={capacity.gpus} isStartKnown={history.isStartKnown} />
				</div>
			</PanelSplit>
		</Panel>
	);
}

const ALL = { Team: "All teams", Class: "All classes", "GPU model": "All GPU models" };

function Filter(props: {
	label: keyof typeof ALL;
	names: readonly string[];
	value: string | null;
	onChange: (value: string | null) => void;
}) {
	const { label, names, value, onChange } = props;
	if (names.length < 2 && value === null) return null;
	return (
		<Select aria-label={label} className="max-w-52" value={value ?? ""} onChange={(event) => onChange(event.target.value || null)}>
			<option value="">{ALL[label]}</option>
			{names.map((name) => (
				<option key={name} value={name}>
					{name}
				</option>
			))}
		</Select>
	);
}
