import { TRPCError } from "@trpc/server";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { createLoader } from "nuqs/server";
import { signedIn } from "#app/_session.ts";
import { caller, getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { JobScreen } from "#components/job/job-screen.tsx";
import { logOptions } from "#components/job/log-query.ts";
import { jobPageParams } from "#components/job/search-params.ts";
import { jobYaml } from "#components/submit/job-yaml.ts";
import type { JobDetail } from "#components/trpc/outputs.ts";

type Props = { params: Promise<{ id: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> };

const loadParams = createLoader(jobPageParams);

/** Returns 404 both for a missing job and for a job of another team, so that callers cannot distinguish them. */
async function readJob(id: string): Promise<JobDetail> {
	await signedIn();
	try {
		return await getQueryClient().fetchQuery(trpc.job.get.queryOptions({ id }));
	} catch (error) {
		if (error instanceof TRPCError && (error.code === "NOT_FOUND" || error.code === "BAD_REQUEST")) notFound();
		throw error;
	}
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
	const { id } = await params;
	return { title: (await readJob(id)).name };
}

export default async function JobPage({ params, searchParams }: Props) {
	const { id } = await params;
	const [job, { attempt }] = await Promise.all([readJob(id), loadParams(searchParams)]);
	const client = getQueryClient();
	const newest = job.attemptList.at(-1)?.number;
	if (newest !== undefined && !job.synthetic) {
		const call = await caller();
		const shown = job.attemptList.find((a) => a.number === attempt)?.number ?? newest;
		void client.prefetchQuery(logOptions(trpc.job.logs.pathKey(), id, shown, (input) => call.job.logs(input)));
	}
	void client.prefetchQuery(trpc.job.gpuUse.queryOptions({ id }));
	void client.prefetchQuery(trpc.me.queryOptions());
	if (job.spec.outputs) void client.prefetchQuery(trpc.artifact.list.queryOptions({ id }));
	await Promise.all([
		client.prefetchQuery(trpc.job.decisions.queryOptions({ id })),
		client.prefetchQuery(trpc.job.receipt.queryOptions({ id })),
	]);
	return (
		<HydrateClient>
			<JobScreen id={id} yaml={jobYaml(job.spec)} />
		</HydrateClient>
	);
}
