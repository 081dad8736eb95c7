"use client";
import { parseAsString, useQueryState } from "nuqs";
import { AnswerPanel } from "#components/plan/answer-panel.tsx";
import { AssumptionsPanel } from "#components/plan/assumptions-panel.tsx";
import { CandidatesTable } from "#components/plan/candidates-table.tsx";
import { ClaimsTable } from "#components/plan/claims-table.tsx";
import { CommitmentsTable } from "#components/plan/commitments-table.tsx";
import { DemandPanel } from "#components/plan/demand-panel.tsx";
import { type StudyResult, shortUsd } from "#components/plan/format-plan.ts";
import { OptionsTable } from "#components/plan/options-table.tsx";
import { CumulativeChart, CurveChart } from "#components/plan/plan-charts.tsx";
import { SensitivityTable } from "#components/plan/sensitivity-table.tsx";
import { useStudyFilter } from "#components/plan/use-study-filter.ts";
import { WaitsTable } from "#components/plan/waits-table.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel, PanelHeader, PanelSplit } from "#components/ui/panel.tsx";

/** A finished study: the answer first, then its evidence. */
export function StudyView({ studyId, result }: { studyId: string; result: StudyResult }) {
	const { comparison, assessment } = result;
	const filter = useStudyFilter(studyId, assessment);
	const [chosen, setChosen] = useQueryState("option", parseAsString);
	const fallback = comparison.recommended === comparison.reference ? bestMix(result) : comparison.recommended;
	const shown = comparison.options.some(({ id }) => id === chosen) ? String(chosen) : fallback;
	const { history } = assessment;
	return (
		<>
			<AnswerPanel result={result} />
			{result.headline && (
				<Panel>
					<ClaimsTable headline={result.headline} />
				</Panel>
			)}
			<Panel>
				<PanelSplit columns="minmax(0,1fr) minmax(0,1fr)" from="wide">
					<div className="min-w-0 pb-3">
						<PanelHeader title="Payments from today" sub={`cumulative over ${comparison.horizonMonths} months`} />
						<CumulativeChart comparison={comparison} shown={shown} />
					</div>
					<div className="min-w-0 pb-3">
						<PanelHeader
							title="Total cost by owned GPUs"
							sub={`per month, under the burst policy; minimum at ${formatCount(comparison.curve.minimumGpus)}`}
						/>
						<CurveChart comparison={comparison} />
					</div>
				</PanelSplit>
			</Panel>
			<Panel>
				<OptionsTable comparison={comparison} shown={shown} onShow={(id) => void setChosen(id)} />
			</Panel>
			<DemandPanel filter={filter} />
			<Panel>
				<CandidatesTable assessment={filter.shown} of={filter.of} />
			</Panel>
			<Panel>
				<SensitivityTable comparison={comparison} best={bestMix(result)} />
			</Panel>
			{/* Studies of earlier releases have none. */}
			{"commitments" in assessment && (
				<Panel>
					<CommitmentsTable commitments={assessment.commitments} />
				</Panel>
			)}
			<Panel>
				<PanelSplit columns="minmax(0,1fr) minmax(0,1fr)" from="wide">
					<WaitsTable assessment={filter.shown} of={filter.of} />
					<AssumptionsPanel result={result} />
				</PanelSplit>
			</Panel>
			<p className="text-xs text-ink-3">
				{history.source}, {formatCount(history.jobs)} jobs. Costs come from the replay, before taxes, at 730 hours per month. Peak cloud
				month under bursting: {shortUsd(peakOf(result))}.
			</p>
		</>
	);
}

/** The purchase with the highest NPV, else bursting. */
function bestMix({ comparison }: StudyResult): string {
	const mixes = comparison.options.filter(({ kind, addedGpus }) => kind === "mix" && addedGpus > 0);
	return mixes.sort((a, b) => b.finance.npvUsd - a.finance.npvUsd)[0]?.id ?? comparison.reference;
}

function peakOf({ comparison }: StudyResult): number {
	const burst = comparison.options.find(({ id }) => id === comparison.reference);
	return Number(burst?.peakMonthMicroUsd ?? 0) / 1e6;
}
