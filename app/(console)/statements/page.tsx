import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { MonthsPanel } from "#components/statements/months-panel.tsx";
import { loadStatementParams } from "#components/statements/search-params.ts";
import { TableSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Statements" };

export default async function StatementsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { team } = await loadStatementParams(searchParams);
	void getQueryClient().prefetchQuery(trpc.statement.list.queryOptions(team === null ? {} : { team }));
	return (
		<HydrateClient>
			<PageHeader title="Statements" />
			<PageBody>
				<p className="max-w-215 text-pretty text-ink-2">
					A month that is over is closed into statements: the company's and one for each team, from one moment of the ledger. What is posted
					to it later shows as a change, and closing it again writes the next version beside the first.
				</p>
				<QueryBoundary what="The statements" framed skeleton={<TableSkeleton rows={6} columns={7} label="Loading the statements" />}>
					<MonthsPanel team={team} />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
