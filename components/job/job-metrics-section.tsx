"use client";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { JobGpuUse } from "./job-gpu-use.tsx";
import { JobReportedMetrics } from "./job-reported-metrics.tsx";
import { SectionLoading } from "./section-loading.tsx";
import { useJob } from "./use-job.ts";

/** Measurements of a job. Each chart is one panel next to GPU use. */
export function JobMetricsSection({ id }: { id: string }) {
	const job = useJob(id);
	if (job.attemptList.length === 0) {
		return (
			<Panel title="Metrics">
				<EmptyState icon="jobs" title="No metrics yet">
					Measurements appear once the job runs.
				</EmptyState>
			</Panel>
		);
	}
	return (
		<>
			<JobReportedMetrics id={id} isLive={job.finishedAt === null} />
			<PanelGate what="GPU use" fallback={<SectionLoading title="GPU use" rows={1} />}>
				<JobGpuUse job={job} />
			</PanelGate>
		</>
	);
}
