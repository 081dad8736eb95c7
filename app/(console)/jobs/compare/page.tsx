import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { ChooseOther } from "#components/job-compare/choose-other.tsx";
import { CompareTable } from "#components/job-compare/compare-table.tsx";
import { compareHref, othersQuery } from "#components/jobs/compare-link.ts";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { readJob } from "../[id]/_read-job.ts";

export const metadata: Metadata = { title: "Compare jobs" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Two jobs side by side. A job that is missing or another team's is a 404, as on its own page. */
export default async function ComparePage({ searchParams }: Props) {
	const { a, b } = await searchParams;
	if (typeof a !== "string" || (b !== undefined && typeof b !== "string")) notFound();
	const [job] = await Promise.all([readJob(a), ...(b === undefined ? [] : [readJob(b)])]);
	const client = getQueryClient();
	if (b === undefined) void client.prefetchQuery(trpc.job.list.queryOptions(othersQuery(job.team)));
	else for (const id of [a, b]) void client.prefetchQuery(trpc.job.metrics.queryOptions({ id }));
	return (
		<HydrateClient>
			<PageHeader
				crumbs={[{ label: "Jobs", href: "/jobs" }]}
				title="Compare"
				actions={b !== undefined && <ButtonLink href={compareHref(a)}>Change second job</ButtonLink>}
			/>
			<PageBody>
				<QueryBoundary what="the comparison" framed skeleton={<TableSkeleton rows={12} columns={3} label="Loading comparison" />}>
					{b === undefined ? <ChooseOther id={a} /> : <CompareTable a={a} b={b} />}
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
