import type { Metadata } from "next";
import { notFound } from "next/navigation";
import type { SearchParams } from "nuqs/server";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { ProvidersPanel, ResourcesPanel } from "#components/bills/bills-panel.tsx";
import { HistoryPanel } from "#components/bills/history-panel.tsx";
import { ImportPanel } from "#components/bills/import-panel.tsx";
import { LinesPanel } from "#components/bills/lines-panel.tsx";
import { type BillsView, billsQuery, historyQuery, loadBillsParams } from "#components/bills/params.ts";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { statementHref } from "#components/statements/search-params.ts";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";
import { monthWords, teamTitle } from "#server/domain/statement-words.ts";

type Props = { params: Promise<{ month: string }>; searchParams: Promise<SearchParams> };

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
	const { month } = await params;
	return { title: MONTH.test(month) ? `Bills of ${monthWords(month)}` : "Bills" };
}

/** Compares a month's provider bills with the ledger. */
export default async function BillsPage({ params, searchParams }: Props) {
	const { month } = await params;
	if (!MONTH.test(month)) notFound();
	const actor = await signedIn();
	const view: BillsView = { month, ...(await loadBillsParams(searchParams)) };
	if (view.team === null) void getQueryClient().prefetchQuery(trpc.bill.reconciliationHistory.queryOptions(historyQuery(view)));
	void getQueryClient().prefetchQuery(trpc.bill.reconciliation.queryOptions(billsQuery(view)));
	void getQueryClient().prefetchQuery(trpc.bill.reconciliation.queryOptions(billsQuery({ ...view, state: null })));
	return (
		<HydrateClient>
			<PageHeader
				title="Bills"
				crumbs={[{ label: monthWords(month), href: statementHref(month, view.team ?? "") }]}
				meta={<span className="truncate text-ink-3 max-md:hidden">{view.team ? teamTitle(view.team) : "compared with the ledger"}</span>}
			/>
			<PageBody>
				{hasPermission(actor, "bill:import") && <ImportPanel />}
				<QueryBoundary what="bills" framed skeleton={<TableSkeleton rows={3} columns={6} label="Loading bills" />}>
					<ProvidersPanel view={view} />
				</QueryBoundary>
				{view.resource !== null && (
					<QueryBoundary what="bill lines" framed skeleton={<TableSkeleton rows={8} columns={6} label="Loading bill lines" />}>
						<LinesPanel view={view} resource={view.resource} />
					</QueryBoundary>
				)}
				<QueryBoundary what="resources" framed skeleton={<TableSkeleton rows={10} columns={7} label="Loading resources" />}>
					<ResourcesPanel view={view} />
				</QueryBoundary>
				{view.team === null && (
					<QueryBoundary what="reconciliations" framed skeleton={<TableSkeleton rows={3} columns={5} label="Loading reconciliations" />}>
						<HistoryPanel view={view} />
					</QueryBoundary>
				)}
			</PageBody>
		</HydrateClient>
	);
}
