import type { Metadata } from "next";
import { caller, getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { JobsScreen } from "#components/jobs/jobs-screen.tsx";
import { jobPagesOptions } from "#components/jobs/pages.ts";
import { loadJobSearch } from "#components/jobs/search-params.ts";
import { groupsOf } from "#components/jobs/views.ts";
import { DAY_MS } from "#server/kernel/units.ts";

export const metadata: Metadata = { title: "Jobs" };

export default async function JobsPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
	const search = await loadJobSearch(searchParams);
	const client = getQueryClient();
	const groups = groupsOf(search, Math.floor(Date.now() / DAY_MS) * DAY_MS);
	const call = await caller();
	void client.prefetchInfiniteQuery(jobPagesOptions(trpc.job.list.pathKey(), groups, (input) => call.job.list(input)));
	void client.prefetchQuery(trpc.site.list.queryOptions());
	void client.prefetchQuery(trpc.instance.list.queryOptions({ live: true, limit: 500 }));
	void client.prefetchQuery(trpc.team.names.queryOptions());
	void client.prefetchQuery(trpc.job.counts.queryOptions());
	await Promise.all([client.prefetchQuery(trpc.me.queryOptions()), client.prefetchQuery(trpc.view.list.queryOptions())]);
	return (
		<HydrateClient>
			<JobsScreen />
		</HydrateClient>
	);
}
