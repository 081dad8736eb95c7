import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { JobOverview } from "#components/job/job-overview.tsx";
import { type JobPageProps, readJob } from "./_read-job.ts";

export default async function JobOverviewPage({ params }: JobPageProps) {
	const { id } = await params;
	const { state } = await readJob(id);
	// Part of the first HTML, so that the panel has its final height.
	if (state === "queued" || state === "held") await getQueryClient().prefetchQuery(trpc.job.waiting.queryOptions({ id }));
	return (
		<HydrateClient>
			<JobOverview id={id} />
		</HydrateClient>
	);
}
