"use client";
import { lazy } from "react";
import { JobApproval } from "#components/approvals/job-approval.tsx";
import { compareHref } from "#components/jobs/compare-link.ts";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { KpiSkeleton } from "#components/ui/skeleton.tsx";
import { DecisionSummary } from "./decision-summary.tsx";
import { JobFacts } from "./job-facts.tsx";
import { JobMove } from "./job-move.tsx";
import { JobTimeline } from "./job-timeline.tsx";
import { SectionLoading } from "./section-loading.tsx";
import { useJob } from "./use-job.ts";
import { WaitingPanel } from "./waiting-panel.tsx";

/** Loaded separately because most jobs were not adopted. */
const JobAdoption = lazy(() => import("./job-adoption.tsx").then((loaded) => ({ default: loaded.JobAdoption })));

/** What the job does now, where it is going, and why. */
export function JobOverview({ id }: { id: string }) {
	const job = useJob(id);
	const waits = job.state === "queued" || job.state === "held";
	return (
		<>
			<PanelGate what="job figures" fallback={<KpiSkeleton />}>
				<JobFacts job={job} />
			</PanelGate>
			<JobMove job={job} />
			<JobApproval jobId={id} />
			{waits && <WaitingPanel job={job} />}
			{job.adoption && (
				<PanelGate what="the adoption status" fallback={<SectionLoading title={`Adopted from ${job.adoption.siteName}`} rows={2} />}>
					<JobAdoption adoption={job.adoption} />
				</PanelGate>
			)}
			<PanelGate what="the timeline" fallback={<SectionLoading title="Timeline" rows={3} />}>
				<JobTimeline job={job} />
			</PanelGate>
			{!waits && (
				<PanelGate what="the decision" fallback={<SectionLoading title="Decision" rows={2} />}>
					<DecisionSummary job={job} />
				</PanelGate>
			)}
			{/* The header has no room for it on phones. */}
			<ButtonLink href={compareHref(id)} className="justify-self-start md:hidden">
				Compare with another job
			</ButtonLink>
		</>
	);
}
