"use client";
import { useQueryState } from "nuqs";
import { lazy, Suspense, useMemo } from "react";
import { EmptyState } from "#components/page/states.tsx";
import { formatShort } from "#components/time/format-time.ts";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { DecisionView, JobDetail } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Select } from "#components/ui/input.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { plural } from "#server/domain/sentence-facts.ts";
import { CandidateTable } from "../decision/candidate-table.tsx";
import { decisionRows } from "../decision/decision-rows.ts";
import { LeadReason, ReasonText } from "../job-state/reason-text.tsx";
import { HomeComparison } from "./home-comparison.tsx";
import { jobPageParams } from "./search-params.ts";

/** Loaded separately because most jobs viewed have started. */
const WaitingChanges = lazy(() => import("./waiting-changes.tsx").then((loaded) => ({ default: loaded.WaitingChanges })));

/** Maximum number of decisions shown side by side. */
const TABS = 4;

/** The decision: its reason and all candidates. */
export function JobDecisions({ job }: { job: JobDetail }) {
	const trpc = useTRPC();
	const { data: decisions } = useSuspenseQuery(trpc.job.decisions.queryOptions({ id: job.id }));
	const [wanted, setWanted] = useQueryState("decision", jobPageParams.decision);
	const shown = decisions.find((d) => d.id === wanted) ?? decisions[0];
	const rows = useMemo(() => (shown ? decisionRows(shown) : null), [shown]);
	const title = "Decision";
	const waits = job.state === "queued" || job.state === "held";
	if (!shown || !rows) {
		return (
			<Panel id="decision" title={title}>
				{job.synthetic ? (
					<EmptyState title="No decision">Simulated job; its decisions were not stored.</EmptyState>
				) : (
					<>
						{waits ? (
							<Suspense fallback={<LeadReason reason={job.reason} />}>
								<WaitingChanges job={job} lead />
							</Suspense>
						) : (
							<LeadReason reason={job.reason} />
						)}
						{job.finishedAt !== null && <p className="px-4 pb-4 text-ink-3">The job ended before it was placed.</p>}
					</>
				)}
			</Panel>
		);
	}
	const deadlineMs = job.deadlineAt === null ? null : Date.parse(job.deadlineAt);
	return (
		<Panel
			id="decision"
			title={title}
			sub={
				<>
					Policy {shown.policy.name} version {shown.policy.version}, decided <Time atMs={shown.decidedAtMs} />
				</>
			}
			actions={
				<DecisionChoice decisions={decisions} shown={shown} onChange={(id) => void setWanted(id === decisions[0]?.id ? null : id)} />
			}
			footer={
				<>{plural(shown.consideredCount, "candidate")}, ranked by cost, delay and carbon as weighted by the policy. ≈ marks estimates.</>
			}
		>
			<p className="max-w-[92ch] px-4 pb-3.5 text-md text-pretty text-ink-2 [&_b]:text-ink">
				<ReasonText reason={shown.reason} /> <HomeComparison decision={shown} deadlineMs={deadlineMs} />
			</p>
			{waits && (
				<Suspense fallback={null}>
					<WaitingChanges job={job} />
				</Suspense>
			)}
			<CandidateTable rows={rows} gpus={job.gpus} deadlineMs={deadlineMs} />
		</Panel>
	);
}

const WORDS: Record<DecisionView["outcome"], string> = {
	place_home: "placed on owned GPUs",
	launch: "burst",
	wait: "queued",
	hold: "held",
	fail: "rejected",
};

type ChoiceProps = { decisions: readonly DecisionView[]; shown: DecisionView; onChange: (id: string) => void };

function DecisionChoice({ decisions, shown, onChange }: ChoiceProps) {
	if (decisions.length < 2) return null;
	const label = (d: DecisionView) => `${formatShort(d.decidedAtMs, shown.decidedAtMs)} ${WORDS[d.outcome]}`;
	const oldestFirst = decisions.toReversed();
	if (decisions.length <= TABS) {
		return (
			<SegmentedControl
				label="Decision"
				name="decision"
				value={shown.id}
				onChange={onChange}
				options={oldestFirst.map((d) => ({ value: d.id, label: label(d) }))}
			/>
		);
	}
	return (
		<Select aria-label="Decision" value={shown.id} onChange={(event) => onChange(event.currentTarget.value)} className="w-56">
			{oldestFirst.map((d) => (
				<option key={d.id} value={d.id}>
					{label(d)}
				</option>
			))}
		</Select>
	);
}
