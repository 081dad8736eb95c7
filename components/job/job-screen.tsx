"use client";
import { lazy } from "react";
import { JobApproval } from "#components/approvals/job-approval.tsx";
import { PageBody } from "#components/page/page-header.tsx";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { KpiSkeleton, TableSkeleton } from "#components/ui/skeleton.tsx";
import { JobCheckpoints } from "./job-checkpoints.tsx";
import { JobDecisions } from "./job-decisions.tsx";
import { JobFacts } from "./job-facts.tsx";
import { JobFilePanel } from "./job-file-panel.tsx";
import { JobGpuUse } from "./job-gpu-use.tsx";
import { JobHeader } from "./job-header.tsx";
import { JobLogs } from "./job-logs.tsx";
import { JobReceipt } from "./job-receipt.tsx";
import { JobTimeline } from "./job-timeline.tsx";
import { useJob } from "./use-job.ts";

/** Loaded separately because most jobs were neither adopted nor converted. */
const JobAdoption = lazy(() => import("./job-adoption.tsx").then((loaded) => ({ default: loaded.JobAdoption })));
const JobResults = lazy(() => import("./job-results.tsx").then((loaded) => ({ default: loaded.JobResults })));
const JobImport = lazy(() => import("./job-import.tsx").then((loaded) => ({ default: loaded.JobImport })));

/** The job page: location, history, decision, cost and log. */
export function JobScreen({ id, yaml }: { id: string; yaml: string }) {
	const job = useJob(id);
	return (
		<>
			<JobHeader job={job} />
			<PageBody>
				<PanelGate what="job figures" fallback={<KpiSkeleton />}>
					<JobFacts job={job} />
				</PanelGate>
				<JobApproval jobId={id} />
				{job.adoption && (
					<PanelGate what="the adoption status" fallback={<Loading title={`Adopted from ${job.adoption.siteName}`} rows={2} />}>
						<JobAdoption adoption={job.adoption} />
					</PanelGate>
				)}
				<PanelGate what="the timeline" fallback={<Loading title="Timeline" rows={3} />}>
					<JobTimeline job={job} />
				</PanelGate>
				<PanelGate what="the decision" fallback={<Loading title="Decision" rows={6} />}>
					<JobDecisions job={job} />
				</PanelGate>
				{job.spec.outputs && (
					<PanelGate what="the results" fallback={<Loading title="Results" rows={2} />}>
						<JobResults job={job} />
					</PanelGate>
				)}
				<PanelGate what="the receipt" fallback={<Loading title="Receipt" rows={5} />}>
					<JobReceipt job={job} />
				</PanelGate>
				<PanelGate what="GPU use" fallback={<Loading title="GPU use" rows={1} />}>
					<JobGpuUse job={job} />
				</PanelGate>
				<JobLogs job={job} />
				{job.imported && (
					<PanelGate what="the conversion report" fallback={<Loading title="Script conversion" rows={3} />}>
						<JobImport imported={job.imported} />
					</PanelGate>
				)}
				<div className="grid items-stretch gap-4 rail:grid-cols-2">
					<JobCheckpoints job={job} />
					<JobFilePanel yaml={yaml} />
				</div>
			</PageBody>
		</>
	);
}

function Loading({ title, rows }: { title: string; rows: number }) {
	return (
		<Panel title={title}>
			<TableSkeleton rows={rows} label={`Loading: ${title}`} />
		</Panel>
	);
}
