"use client";
import { lazy } from "react";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { JobCheckpoints } from "./job-checkpoints.tsx";
import { JobFilePanel } from "./job-file-panel.tsx";
import { SectionLoading } from "./section-loading.tsx";
import { useJob } from "./use-job.ts";

/** Loaded separately because most jobs have neither. */
const JobResults = lazy(() => import("./job-results.tsx").then((loaded) => ({ default: loaded.JobResults })));
const JobImport = lazy(() => import("./job-import.tsx").then((loaded) => ({ default: loaded.JobImport })));

/** Results, checkpoints, and the job file with its origin. */
export function JobFilesSection({ id, yaml }: { id: string; yaml: string }) {
	const job = useJob(id);
	return (
		<>
			{job.spec.outputs && (
				<PanelGate what="the results" fallback={<SectionLoading title="Results" rows={2} />}>
					<JobResults job={job} />
				</PanelGate>
			)}
			<div className="grid items-stretch gap-4 rail:grid-cols-2">
				<JobCheckpoints job={job} />
				<JobFilePanel yaml={yaml} />
			</div>
			{job.imported && (
				<PanelGate what="the conversion report" fallback={<SectionLoading title="Script conversion" rows={3} />}>
					<JobImport imported={job.imported} />
				</PanelGate>
			)}
		</>
	);
}
