import { JobDecisionSection } from "#components/job/job-decision-section.tsx";
import type { JobPageProps } from "../_read-job.ts";

export default async function JobDecisionPage({ params }: JobPageProps) {
	const { id } = await params;
	return <JobDecisionSection id={id} />;
}
