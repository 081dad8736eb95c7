import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { describeError } from "#components/page/error-boundary.tsx";
import { ErrorState } from "#components/page/states.tsx";
import type { Assessment } from "#components/plan/format-plan.ts";
import { LoadChart, WeekChart } from "#components/plan/plan-charts.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { Select } from "#components/ui/input.tsx";
import { Panel, PanelHeader, PanelSplit } from "#components/ui/panel.tsx";

/** The demand of all work, or of one team, one class or both, which the URL names. */
export function DemandPanel({ studyId, assessment }: { studyId: string; assessment: Assessment }) {
	const trpc = useTRPC();
	const [{ team, class: workloadClass }, setFilter] = useQueryStates({ team: parseAsString, class: parseAsString });
	const filter = { ...(team !== null && { team }), ...(workloadClass !== null && { class: workloadClass }) };
	const isFiltered = Object.keys(filter).length > 0;
	const { data, error, refetch } = useQuery({
		...trpc.plan.demand.queryOptions({ id: studyId, ...filter }),
		placeholderData: keepPreviousData,
		// Studies of earlier releases have none: they show all work, and no filter.
		retry: false,
	});
	const { history, capacity } = assessment;
	const demand = isFiltered && data ? data.demand : assessment.demand;
	const jobs = isFiltered && data ? data.jobs : history.jobs;
	if (isFiltered && error)
		return (
			<Panel>
				<ErrorState title="Could not load this demand" detail={describeError(error).detail} onRetry={() => void refetch()} />
			</Panel>
		);
	return (
		<Panel>
			{data && (
				<div className="flex flex-wrap items-center gap-2 px-4 pt-3 print:hidden">
					<Filter label="Team" names={data.teams} value={team} onChange={(value) => void setFilter({ team: value })} />
					<Filter label="Class" names={data.classes} value={workloadClass} onChange={(value) => void setFilter({ class: value })} />
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

function Filter(props: { label: string; names: readonly string[]; value: string | null; onChange: (value: string | null) => void }) {
	const { label, names, value, onChange } = props;
	if (names.length < 2 && value === null) return null;
	return (
		<Select aria-label={label} className="max-w-52" value={value ?? ""} onChange={(event) => onChange(event.target.value || null)}>
			<option value="">{label === "Team" ? "All teams" : "All classes"}</option>
			{names.map((name) => (
				<option key={name} value={name}>
					{name}
				</option>
			))}
		</Select>
	);
}
