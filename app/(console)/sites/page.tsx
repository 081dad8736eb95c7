import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { caller, getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { CapacityLead } from "#components/capacity/lead-panel.tsx";
import { MachinesPanel } from "#components/capacity/machines-panel.tsx";
import { nodePages } from "#components/capacity/node-pages.ts";
import { NodePanels } from "#components/capacity/nodes-panel.tsx";
import { OffersPanel } from "#components/capacity/offers-panel.tsx";
import { hasNodes, hasQueue } from "#components/capacity/own-kinds.ts";
import { LINE_QUERY, loadCapacityParams, MACHINES_QUERY, offersQuery } from "#components/capacity/params.ts";
import { HomePanel } from "#components/capacity/pools-panel.tsx";
import { QueuePanels } from "#components/capacity/queue-panel.tsx";
import { SitesExport } from "#components/capacity/sites-export.tsx";
import { SitesTable } from "#components/capacity/sites-panel.tsx";
import { SweepFacts } from "#components/capacity/sweep-panel.tsx";
import { UsePanel } from "#components/capacity/use-panel.tsx";
import { LiveMeta } from "#components/page/live-meta.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Capacity" };

export default async function CapacityPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const filter = await loadCapacityParams(searchParams);
	const actor = await sessionActor();
	const seesAll = actor?.kind === "person" && actor.role !== "data_scientist";
	const client = getQueryClient();
	const call = await caller();
	// Panels refetch and show their own errors.
	const sites = await client.fetchQuery(trpc.site.list.queryOptions()).catch(() => []);
	for (const { id } of sites.filter(hasNodes))
		void client.prefetchInfiniteQuery(nodePages(trpc.site.nodes.pathKey(), id, (input) => call.site.nodes(input)));
	for (const { id } of sites.filter(hasQueue)) void client.prefetchQuery(trpc.site.queue.queryOptions({ id }));
	void client.prefetchQuery(trpc.instance.list.queryOptions(MACHINES_QUERY));
	void client.prefetchQuery(trpc.job.list.queryOptions(LINE_QUERY));
	void client.prefetchQuery(trpc.site.useByHour.queryOptions());
	void client.prefetchQuery(trpc.offer.list.queryOptions(offersQuery(filter)));
	return (
		<HydrateClient>
			<PageHeader title="Capacity" meta={<LiveMeta />} />
			<PageBody>
				<QueryBoundary
					what="the summary"
					framed
					skeleton={<TextSkeleton lines={2} className="max-w-215 px-0 py-2" label="Loading the summary" />}
				>
					<CapacityLead filter={filter} />
				</QueryBoundary>
				<div className="grid items-stretch gap-4 rail:grid-cols-[minmax(0,2.4fr)_minmax(0,1fr)]">
					<Panel title="Sites and pools" actions={<SitesExport />}>
						<QueryBoundary what="sites" skeleton={<TableSkeleton rows={4} columns={5} label="Loading sites" />}>
							<SitesTable />
						</QueryBoundary>
					</Panel>
					<Panel title="Last sweep">
						<QueryBoundary what="the last sweep" skeleton={<TextSkeleton lines={6} label="Loading last sweep" />}>
							<SweepFacts />
						</QueryBoundary>
					</Panel>
				</div>
				<QueryBoundary what="cloud machines" framed skeleton={<PanelSkeleton title="Cloud machines" rows={3} />}>
					<MachinesPanel seesAll={seesAll} />
				</QueryBoundary>
				<QueryBoundary what="owned GPU use" framed skeleton={<PanelSkeleton title="Owned GPUs in use by hour" rows={2} />}>
					<UsePanel />
				</QueryBoundary>
				<QueryBoundary what="nodes" framed skeleton={<PanelSkeleton title="Nodes" rows={4} />}>
					<NodePanels />
				</QueryBoundary>
				<QueryBoundary what="cluster queues" framed skeleton={null}>
					<QueuePanels />
				</QueryBoundary>
				<div className="grid items-start gap-4 rail:grid-cols-[minmax(0,1fr)_minmax(0,2.3fr)]">
					<QueryBoundary what="owned slots" framed skeleton={<PanelSkeleton title="Owned slots" rows={6} />}>
						<HomePanel />
					</QueryBoundary>
					<QueryBoundary what="offers" framed skeleton={<PanelSkeleton title="Offers" rows={10} />}>
						<OffersPanel filter={filter} />
					</QueryBoundary>
				</div>
			</PageBody>
		</HydrateClient>
	);
}

function PanelSkeleton({ title, rows }: { title: string; rows: number }) {
	return (
		<Panel title={title}>
			<TableSkeleton rows={rows} columns={5} label={`Loading: ${title}`} />
		</Panel>
	);
}
