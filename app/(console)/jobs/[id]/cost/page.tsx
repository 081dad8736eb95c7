import { JobCostSection } from "#components/job/job-cost-section.tsx";
import type { JobPageProps } from "../_read-job.ts";

export default async function JobCostPage({ params }: JobPageProps) {
	const { id } = await params;
	return <JobCostSection id={id} />;
}
