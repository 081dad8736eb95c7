import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { approvalsQuery } from "#components/approvals/params.ts";
import { utcMonthBefore } from "#components/bills/params.ts";
import { CapWhatIfPanel } from "#components/overview/cap-what-if-panel.tsx";
import { CloudNowPanel } from "#components/overview/cloud-now-panel.tsx";
import { DemandExport } from "#components/overview/demand-export.tsx";
import { DemandForecastPanel } from "#components/overview/demand-forecast-panel.tsx";
import { DemandPanel } from "#components/overview/demand-panel.tsx";
import { FeedPanel } from "#components/overview/feed-panel.tsx";
import { FinanceTasksPanel } from "#components/overview/finance-tasks-panel.tsx";
import { OverviewKpis } from "#components/overview/kpis.tsx";
import { OverviewLead } from "#components/overview/lead-panel.tsx";
import { MonthVariance } from "#components/overview/month-variance.tsx";
import { MyJobsPanel } from "#components/overview/my-jobs-panel.tsx";
import { PendingApprovals } from "#components/overview/pending-approvals.tsx";
import {
	CLOUD_NOW_QUERY,
	DEMAND_RANGE,
	DEMAND_RANGES,
	demandQuery,
	FEED_QUERY,
	loadOverviewParams,
	myJobsQuery,
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
import { ChartSkeleton, KpiSkeleton, TableSkeleton } from "#components/ui/skeleton.tsx";
import { ChangeBoundary } from "#components/variance/change-boundary.tsx";
import { sessionActor } from "#server/auth/session.ts";
import { hasPermission } from "#server/domain/custom-role.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { DAY_MS } from "#server/kernel/units.ts";

export const metadata: Metadata = { title: "Overview" };

export default async function OverviewPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { range, hide } = await loadOverviewParams(searchParams);
	const actor = await sessionActor();
	const person = actor?.kind === "person" ? actor : { role: "data_scientist" as const };
	const { role } = person;
	const seesAll = role !== "data_scientist";
	const nowMs = Date.now();
	const client = getQueryClient();
	void client.prefetchQuery(trpc.overview.demand.queryOptions(demandQuery(range)));
	void client.prefetchQuery(trpc.overview.events.queryOptions(FEED_QUERY));
	void client.prefetchQuery(trpc.instance.list.queryOptions(CLOUD_NOW_QUERY));
	prefetchFinance(role, nowMs);
	// The layout waits for the summary anyway, and what is complete in the first HTML does not move.
	await Promise.all([
		client.prefetchQuery(trpc.overview.summary.queryOptions()),
		client.prefetchQuery(trpc.site.list.queryOptions()),
		role === "data_scientist"
			? client.prefetchQuery(trpc.job.list.queryOptions(myJobsQuery(Math.floor(nowMs / DAY_MS) * DAY_MS)))
			: client.prefetchQuery(trpc.approval.list.queryOptions(approvalsQuery("open"))),
	]);
	return (
		<HydrateClient>
			<PageHeader
				title="Overview"
				meta={<LiveMeta />}
				actions={
					hasPermission(person, "job:submit") && (
						<ButtonLink variant="primary" href="/jobs/new">
							New job
						</ButtonLink>
					)
				}
			/>
			<PageBody>
				<QueryBoundary what="the summary" framed skeleton={<SummarySkeleton />}>
					<SchedulerLine />
					<OverviewLead seesAll={seesAll} />
					<OverviewKpis seesAll={seesAll} />
				</QueryBoundary>
				<Home role={role} nowMs={nowMs} />
				{seesAll && (
					<QueryBoundary what="the month under another cap" framed skeleton={<KpiSkeleton count={4} label="Loading what-if" />}>
						<CapWhatIfPanel canChange={hasPermission(person, "budget:change")} />
					</QueryBoundary>
				)}
				<Panel
					title="GPU demand"
					sub={<span className="max-md:hidden">Below the line: owned. Above: cloud or queued.</span>}
					actions={
						<>
							<DemandExport range={range} hide={hide} />
							<SegmentedLinks
								label="Time range"
								value={range}
								options={DEMAND_RANGES.map((value) => ({
									value,
									label: DEMAND_RANGE[value].label,
									href: overviewHref({ range: value, hide }),
								}))}
							/>
						</>
					}
				>
					<QueryBoundary what="GPU demand" skeleton={<ChartSkeleton height={368} label="Loading GPU demand" />}>
						<DemandPanel range={range} hide={hide} />
					</QueryBoundary>
				</Panel>
				{role === "platform" && <DemandForecastPanel />}
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

function prefetchFinance(role: Role, nowMs: number): void {
	if (role !== "finance") return;
	const client = getQueryClient();
	void client.prefetchQuery(trpc.statement.list.queryOptions({}));
	void client.prefetchQuery(trpc.bill.list.queryOptions());
	void client.prefetchQuery(trpc.bill.reconciliation.queryOptions({ month: utcMonthBefore(nowMs) }));
}

/** What each role looks at first: own jobs, the month's work, or pending approvals. */
function Home({ role, nowMs }: { role: Role; nowMs: number }) {
	const approvals = (
		<QueryBoundary what="approvals" framed skeleton={null}>
			<PendingApprovals />
		</QueryBoundary>
	);
	if (role === "platform") return approvals;
	if (role === "data_scientist")
		return (
			<>
				<QueryBoundary what="your jobs" framed skeleton={<TableSkeleton rows={4} columns={5} label="Loading your jobs" />}>
					<MyJobsPanel />
				</QueryBoundary>
				<Variance />
			</>
		);
	return (
		<>
			<QueryBoundary what="months and bills" framed skeleton={<TableSkeleton rows={3} columns={2} label="Loading months and bills" />}>
				<FinanceTasksPanel lastMonth={utcMonthBefore(nowMs)} />
			</QueryBoundary>
			{approvals}
			<Variance />
		</>
	);
}

function Variance() {
	return (
		<ChangeBoundary>
			<MonthVariance />
		</ChangeBoundary>
	);
}
