"use client";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTRPC } from "#components/trpc/client.tsx";

/** Loaded separately because most jobs need no approval. */
const JobApprovalPanel = lazy(() => import("./job-approval-panel.tsx").then((loaded) => ({ default: loaded.JobApprovalPanel })));

/** Approval panel of a job; renders nothing if the job never needed one. */
export function JobApproval({ jobId }: { jobId: string }) {
	const { data } = useQuery(useTRPC().approval.ofJob.queryOptions({ jobId }));
	if (!data?.approval) return null;
	return (
		<Suspense fallback={null}>
			<JobApprovalPanel jobId={jobId} asked={{ ...data, approval: data.approval }} />
		</Suspense>
	);
}
