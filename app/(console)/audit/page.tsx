import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { AuditToolbar } from "#components/audit/audit-toolbar.tsx";
import { ChainPanel } from "#components/audit/chain-panel.tsx";
import { ExportLinks } from "#components/audit/export-links.tsx";
import { LinesPanel } from "#components/audit/lines-panel.tsx";
import { auditQuery, loadAuditSearch } from "#components/audit/search-params.ts";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Audit" };

export default async function AuditPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const search = await loadAuditSearch(searchParams);
	const client = getQueryClient();
	void client.prefetchQuery(trpc.audit.chain.queryOptions());
	void client.prefetchInfiniteQuery(
		trpc.audit.list.infiniteQueryOptions(auditQuery(search), { getNextPageParam: (last) => last.nextCursor ?? undefined }),
	);
	return (
		<HydrateClient>
			<PageHeader title="Audit" actions={<ExportLinks />} />
			<PageBody>
				<AuditToolbar />
				<QueryBoundary what="the audit chain status" framed skeleton={<TextSkeleton lines={1} label="Loading chain status" />}>
					<ChainPanel />
				</QueryBoundary>
				<QueryBoundary what="the audit log" framed skeleton={<TableSkeleton rows={12} columns={6} label="Loading audit log" />}>
					<LinesPanel />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
