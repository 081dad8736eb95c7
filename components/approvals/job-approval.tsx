"use client";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTRPC } from "#components/trpc/client.tsx";

/** A chunk of its own: about most jobs nobody is asked. */
const JobApprovalPanel = lazy(() => import("./job-approval-panel.tsx").then((loaded) => ({ default: loaded.JobApprovalPanel })));

/** On a job's page: its approval. Nothing for a job about which nobody was asked. */
export function JobApproval({ jobId }: { jobId: string }) {
	const { data } = useQuery(useTRPC().approval.ofJob.queryOptions({ jobId }));
	if (!data?.approval) return null;
	return (
		<Suspense fallback={null}>
			<JobApprovalPanel jobId={jobId} asked={{ ...data, approval: data.approval }} />
		</Suspense>
	);
}
