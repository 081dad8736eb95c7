import { createLoader } from "nuqs/server";
import { caller, getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { JobLogSection } from "#components/job/job-log-section.tsx";
import { logOptions } from "#components/job/log-query.ts";
import { jobPageParams } from "#components/job/search-params.ts";
import { type JobPageProps, readJob } from "../_read-job.ts";

const loadParams = createLoader(jobPageParams);

export default async function JobLogsPage({ params, searchParams }: JobPageProps) {
	const { id } = await params;
	const [job, { attempt }] = await Promise.all([readJob(id), loadParams(searchParams)]);
	const client = getQueryClient();
	const newest = job.attemptList.at(-1)?.number;
	if (newest !== undefined && !job.synthetic) {
		const call = await caller();
		const shown = job.attemptList.find((a) => a.number === attempt)?.number ?? newest;
		void client.prefetchQuery(logOptions(trpc.job.logs.pathKey(), id, shown, (input) => call.job.logs(input)));
	}
	return (
		<HydrateClient>
			<JobLogSection id={id} />
		</HydrateClient>
	);
}
