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
import { CandidateTable } from "./candidate-table.tsx";
import { decisionRows } from "./decision-rows.ts";
import { HomeComparison } from "./home-comparison.tsx";
import { LeadReason, ReasonText } from "./reason-text.tsx";
import { jobPageParams } from "./search-params.ts";

/** A chunk of its own: most jobs that people look at have begun. */
const WaitingChanges = lazy(() => import("./waiting-changes.tsx").then((loaded) => ({ default: loaded.WaitingChanges })));

/** More decisions than these do not fit beside each other. */
const TABS = 4;

/** Why the job is where it is: the sentence, and everything that was considered. */
export function JobDecisions({ job }: { job: JobDetail }) {
	const trpc = useTRPC();
	const { data: decisions } = useSuspenseQuery(trpc.job.decisions.queryOptions({ id: job.id }));
	const [wanted, setWanted] = useQueryState("decision", jobPageParams.decision);
	const shown = decisions.find((d) => d.id === wanted) ?? decisions[0];
	const rows = useMemo(() => (shown ? decisionRows(shown) : null), [shown]);
	const title =
		job.attemptList.length > 0
			? "Why it is there"
			: job.finishedAt === null
				? "Why it waits"
				: `Why it ${job.state === "failed" ? "failed" : "ended"}`;
	const waits = job.state === "queued" || job.state === "held";
	if (!shown || !rows) {
		return (
			<Panel title={title}>
				{job.synthetic ? (
					<EmptyState title="Nothing was decided here">The simulator made this job; its decisions were not kept.</EmptyState>
				) : (
					<>
						{waits ? (
							<Suspense fallback={<LeadReason reason={job.reason} />}>
								<WaitingChanges job={job} lead />
							</Suspense>
						) : (
							<LeadReason reason={job.reason} />
						)}
						<p className="px-4 pb-4 text-ink-3">
							{job.finishedAt === null
								? "It is looked at again in every cycle. The places that were considered stand here once one of them is taken."
								: "It ended before a place was chosen for it."}
						</p>
					</>
				)}
			</Panel>
		);
	}
	const deadlineMs = job.deadlineAt === null ? null : Date.parse(job.deadlineAt);
	return (
		<Panel
			title={title}
			sub={
				<>
					Policy {shown.policy.name}, version {shown.policy.version}, decided <Time atMs={shown.decidedAtMs} />
				</>
			}
			actions={
				<DecisionChoice decisions={decisions} shown={shown} onChange={(id) => void setWanted(id === decisions[0]?.id ? null : id)} />
			}
			footer={
				<>
					{shown.consideredCount.toLocaleString("en-US")} places were considered. The order is by cost, delay and carbon as the policy
					weighs them; amounts marked ≈ are estimates.
				</>
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
	place_home: "placed at home",
	launch: "sent to the cloud",
	wait: "to wait",
	hold: "held",
	fail: "refused",
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
