"use client";
import { useState } from "react";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { JobLogs } from "./job-logs.tsx";
import { JobTimeline } from "./job-timeline.tsx";
import { SectionLoading } from "./section-loading.tsx";
import { useJob } from "./use-job.ts";

export function JobLogSection({ id }: { id: string }) {
	const job = useJob(id);
	const [atMs, setAtMs] = useState<number | null>(null);
	return (
		<>
			{job.attemptList.length > 0 && (
				<PanelGate what="the timeline" fallback={<SectionLoading title="Timeline" rows={3} />}>
					<JobTimeline job={job} scrub={{ atMs, onChange: setAtMs }} />
				</PanelGate>
			)}
			<JobLogs job={job} atMs={atMs} />
		</>
	);
}
