"use client";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { JobDecisions } from "./job-decisions.tsx";
import { SectionLoading } from "./section-loading.tsx";
import { useJob } from "./use-job.ts";

export function JobDecisionSection({ id }: { id: string }) {
	const job = useJob(id);
	return (
		<PanelGate what="the decision" fallback={<SectionLoading title="Decision" rows={6} />}>
			<JobDecisions job={job} />
		</PanelGate>
	);
}
