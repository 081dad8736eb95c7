"use client";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { JobReceipt } from "./job-receipt.tsx";
import { SectionLoading } from "./section-loading.tsx";
import { useJob } from "./use-job.ts";

export function JobCostSection({ id }: { id: string }) {
	const job = useJob(id);
	return (
		<PanelGate what="the receipt" fallback={<SectionLoading title="Receipt" rows={5} />}>
			<JobReceipt job={job} />
		</PanelGate>
	);
}
