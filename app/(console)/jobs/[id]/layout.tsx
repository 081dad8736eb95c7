import type { Metadata } from "next";
import type { ReactNode } from "react";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { JobFrame } from "#components/job/job-frame.tsx";
import { readJob } from "./_read-job.ts";

type Props = { params: Promise<{ id: string }>; children: ReactNode };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
	const { id } = await params;
	return { title: (await readJob(id)).name };
}

/** Header and sections of a job. It stays while people switch between the sections. */
export default async function JobLayout({ params, children }: Props) {
	const { id } = await params;
	await readJob(id);
	const client = getQueryClient();
	void client.prefetchQuery(trpc.me.queryOptions());
	await Promise.all([
		client.prefetchQuery(trpc.job.decisions.queryOptions({ id })),
		client.prefetchQuery(trpc.job.receipt.queryOptions({ id })),
	]);
	return (
		<HydrateClient>
			<JobFrame id={id}>{children}</JobFrame>
		</HydrateClient>
	);
}
