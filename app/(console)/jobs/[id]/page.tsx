import { JobOverview } from "#components/job/job-overview.tsx";
import type { JobPageProps } from "./_read-job.ts";

export default async function JobOverviewPage({ params }: JobPageProps) {
	const { id } = await params;
	return <JobOverview id={id} />;
}
