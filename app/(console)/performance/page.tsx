import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { caller, getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { PerformanceHead } from "#components/performance/head.tsx";
import { BreakdownTable, LostTable, MonthsTable, SitesTable } from "#components/performance/tables.tsx";
import {
	BY_LABEL,
	loadPerformanceParams,
	PERFORMANCE_BY,
	PERFORMANCE_RANGES,
	performanceHref,
	performanceQuery,
} from "#components/performance/view.ts";
import { rangeLabel } from "#components/spend/range.ts";
import { Panel, PanelSplit } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { KpiSkeleton, TableSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Performance" };

export default async function PerformancePage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { range, by } = await loadPerformanceParams(searchParams);
	const { zone } = await (await caller()).spend.calendar();
	const nowMs = Date.now();
	const view = { range, by, zone };
	void getQueryClient().prefetchQuery(trpc.performance.page.queryOptions(performanceQuery(view, nowMs)));
	const ranges = (
		<SegmentedLinks
			label="Range"
			value={range}
			options={PERFORMANCE_RANGES.map((value) => ({
				value,
				label: rangeLabel(value, nowMs, zone),
				href: performanceHref({ range: value, by }),
			}))}
		/>
	);
	return (
		<HydrateClient>
			<PageHeader title="Performance" meta={<span className="max-md:hidden">{ranges}</span>} />
			<PageBody>
				<div className="md:hidden">{ranges}</div>
				<QueryBoundary what="totals" framed skeleton={<KpiSkeleton count={6} label="Loading totals" />}>
					<PerformanceHead view={view} />
				</QueryBoundary>
				<Panel>
					<QueryBoundary what="sites" skeleton={<TableSkeleton rows={4} columns={8} label="Loading sites" />}>
						<SitesTable view={view} />
					</QueryBoundary>
				</Panel>
				<Panel>
					<div className="flex min-h-11.5 flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2">
						<h2 className="text-sm font-semibold">Breakdown</h2>
						<SegmentedLinks
							label="Group by"
							value={by}
							options={PERFORMANCE_BY.map((value) => ({ value, label: BY_LABEL[value], href: performanceHref({ range, by: value }) }))}
						/>
					</div>
					<QueryBoundary what="the breakdown" skeleton={<TableSkeleton rows={7} columns={8} label="Loading breakdown" />}>
						<BreakdownTable view={view} />
					</QueryBoundary>
				</Panel>
				<Panel>
					<QueryBoundary what="months" skeleton={<TableSkeleton rows={6} columns={6} label="Loading months" />}>
						<PanelSplit columns="minmax(0,1.7fr) minmax(0,1fr)" from="wide">
							<MonthsTable view={view} />
							<LostTable view={view} />
						</PanelSplit>
					</QueryBoundary>
				</Panel>
			</PageBody>
		</HydrateClient>
	);
}
