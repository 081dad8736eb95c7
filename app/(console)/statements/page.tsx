import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { ImportPanel } from "#components/bills/import-panel.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { MonthsPanel } from "#components/statements/months-panel.tsx";
import { loadStatementParams } from "#components/statements/search-params.ts";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";

export const metadata: Metadata = { title: "Statements" };

export default async function StatementsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { team } = await loadStatementParams(searchParams);
	const actor = await signedIn();
	void getQueryClient().prefetchQuery(trpc.statement.list.queryOptions(team === null ? {} : { team }));
	return (
		<HydrateClient>
			<PageHeader title="Statements" />
			<PageBody>
				{hasPermission(actor, "bill:import") && <ImportPanel />}
				<QueryBoundary what="statements" framed skeleton={<TableSkeleton rows={6} columns={7} label="Loading statements" />}>
					<MonthsPanel team={team} />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
