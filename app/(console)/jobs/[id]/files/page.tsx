import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { JobFilesSection } from "#components/job/job-files-section.tsx";
import { jobYaml } from "#components/submit/job-yaml.ts";
import { type JobPageProps, readJob } from "../_read-job.ts";

export default async function JobFilesPage({ params }: JobPageProps) {
	const { id } = await params;
	const job = await readJob(id);
	if (job.spec.outputs) void getQueryClient().prefetchQuery(trpc.artifact.list.queryOptions({ id }));
	return (
		<HydrateClient>
			<JobFilesSection id={id} yaml={jobYaml(job.spec)} />
		</HydrateClient>
	);
}
