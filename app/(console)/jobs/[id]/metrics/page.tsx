import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { JobMetricsSection } from "#components/job/job-metrics-section.tsx";
import { type JobPageProps, readJob } from "../_read-job.ts";

export default async function JobMetricsPage({ params }: JobPageProps) {
	const { id } = await params;
	await readJob(id);
	void getQueryClient().prefetchQuery(trpc.job.gpuUse.queryOptions({ id }));
	return (
		<HydrateClient>
			<JobMetricsSection id={id} />
		</HydrateClient>
	);
}
