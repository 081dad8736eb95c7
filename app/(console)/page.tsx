import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { CloudNowPanel } from "#components/overview/cloud-now-panel.tsx";
import { DemandExport } from "#components/overview/demand-export.tsx";
import { DemandForecastPanel } from "#components/overview/demand-forecast-panel.tsx";
import { DemandPanel } from "#components/overview/demand-panel.tsx";
import { FeedPanel } from "#components/overview/feed-panel.tsx";
import { OverviewKpis } from "#components/overview/kpis.tsx";
import { OverviewLead } from "#components/overview/lead-panel.tsx";
import {
	CLOUD_NOW_QUERY,
	DEMAND_RANGE,
	DEMAND_RANGES,
	demandQuery,
	FEED_QUERY,
	loadOverviewParams,
	overviewHref,
} from "#components/overview/range.ts";
import { SchedulerLine } from "#components/overview/scheduler-line.tsx";
import { CloudNowSkeleton, FeedSkeleton, SummarySkeleton } from "#components/overview/skeletons.tsx";
import { LiveMeta } from "#components/page/live-meta.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { ChartSkeleton } from "#components/ui/skeleton.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Overview" };

export default async function OverviewPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { range } = await loadOverviewParams(searchParams);
	const actor = await sessionActor();
	const seesAll = actor?.kind === "person" && actor.role !== "data_scientist";
	const client = getQueryClient();
	void client.prefetchQuery(trpc.overview.summary.queryOptions());
	void client.prefetchQuery(trpc.site.list.queryOptions());
	void client.prefetchQuery(trpc.overview.demand.queryOptions(demandQuery(range)));
	void client.prefetchQuery(trpc.overview.events.queryOptions(FEED_QUERY));
	void client.prefetchQuery(trpc.instance.list.queryOptions(CLOUD_NOW_QUERY));
	return (
		<HydrateClient>
			<PageHeader
				title="Overview"
				meta={<LiveMeta />}
				actions={
					<ButtonLink variant="primary" href="/jobs/new">
						New job
					</ButtonLink>
				}
			/>
			<PageBody>
				<QueryBoundary what="the summary" framed skeleton={<SummarySkeleton />}>
					<SchedulerLine />
					<OverviewLead seesAll={seesAll} />
					<OverviewKpis seesAll={seesAll} />
				</QueryBoundary>
				<Panel
					title="GPU demand"
					sub={<span className="max-md:hidden">Below the line: owned. Above: cloud or queued.</span>}
					actions={
						<>
							<DemandExport range={range} />
							<SegmentedLinks
								label="Time range"
								value={range}
								options={DEMAND_RANGES.map((value) => ({ value, label: DEMAND_RANGE[value].label, href: overviewHref({ range: value }) }))}
							/>
						</>
					}
				>
					<QueryBoundary what="GPU demand" skeleton={<ChartSkeleton height={368} label="Loading GPU demand" />}>
						<DemandPanel range={range} />
					</QueryBoundary>
				</Panel>
				<DemandForecastPanel />
				<div className="grid items-start gap-4 rail:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
					<QueryBoundary what="recent activity" framed skeleton={<FeedSkeleton />}>
						<FeedPanel />
					</QueryBoundary>
					<QueryBoundary what="cloud machines" framed skeleton={<CloudNowSkeleton />}>
						<CloudNowPanel seesAll={seesAll} />
					</QueryBoundary>
				</div>
			</PageBody>
		</HydrateClient>
	);
}
