import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { caller, getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { AvoidedPanel } from "#components/carbon/avoided-panel.tsx";
import { CarbonDays } from "#components/carbon/days-panel.tsx";
import { CarbonExport } from "#components/carbon/export-button.tsx";
import { GridPanel } from "#components/carbon/grid-panel.tsx";
import { CarbonHead } from "#components/carbon/head.tsx";
import { MethodPanel, QualityPanel } from "#components/carbon/quality-panel.tsx";
import { BY_LABEL, CARBON_BY, CARBON_RANGES, carbonHref, carbonQuery, loadCarbonParams } from "#components/carbon/range.ts";
import { CarbonTable } from "#components/carbon/table-panel.tsx";
import { CarbonVariancePanel } from "#components/carbon/variance-panel.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { datesLabel, datesOf, rangeLabel } from "#components/spend/range.ts";
import { Panel, PanelHeader, PanelSplit } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { ChartSkeleton, KpiSkeleton, TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";
import { ChangeBoundary } from "#components/variance/change-boundary.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Carbon" };

export default async function CarbonPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { range, by } = await loadCarbonParams(searchParams);
	const actor = await sessionActor();
	const ownTeams = actor?.kind === "person" && actor.role === "data_scientist" ? actor.teams : null;
	const { zone } = await (await caller()).spend.calendar();
	const nowMs = Date.now();
	const view = { range, by, zone };
	const query = carbonQuery(view, nowMs);
	void getQueryClient().prefetchQuery(trpc.carbon.page.queryOptions(query));
	void getQueryClient().prefetchQuery(trpc.carbon.variance.queryOptions({ fromMs: query.fromMs, toMs: query.toMs }));
	const ranges = (
		<SegmentedLinks
			label="Range"
			value={range}
			options={CARBON_RANGES.map((value) => ({ value, label: rangeLabel(value, nowMs, zone), href: carbonHref({ range: value, by }) }))}
		/>
	);
	return (
		<HydrateClient>
			<PageHeader title="Carbon" meta={<span className="max-md:hidden">{ranges}</span>} actions={<CarbonExport view={view} />} />
			<PageBody>
				<div className="md:hidden">{ranges}</div>
				{ownTeams && <p className="text-ink-2">Shows your teams only: {ownTeams.join(", ")}. Excludes idle hardware.</p>}
				<QueryBoundary what="totals" framed skeleton={<KpiSkeleton count={5} label="Loading totals" />}>
					<CarbonHead view={view} />
				</QueryBoundary>
				<ChangeBoundary>
					<CarbonVariancePanel view={view} />
				</ChangeBoundary>
				<Panel>
					<PanelSplit columns="minmax(0,1.5fr) minmax(0,1fr)">
						<div className="min-w-0 pb-3">
							<PanelHeader title={range === "12m" ? "By month" : "By day"} sub={`kg CO2e, ${zone}`} />
							<QueryBoundary what="daily emissions" skeleton={<ChartSkeleton height={310} label="Loading daily emissions" />}>
								<CarbonDays view={view} />
							</QueryBoundary>
						</div>
						<QueryBoundary
							what="avoided emissions"
							skeleton={<TextSkeleton lines={8} label="Loading avoided emissions" className="py-5" />}
						>
							<AvoidedPanel view={view} />
						</QueryBoundary>
					</PanelSplit>
				</Panel>
				<Panel>
					<QueryBoundary what="grid intensity" skeleton={<TableSkeleton rows={5} columns={8} label="Loading grid intensity" />}>
						<GridPanel view={view} />
					</QueryBoundary>
				</Panel>
				<Panel>
					<div className="flex min-h-11.5 flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2">
						<h2 className="text-sm font-semibold">Breakdown</h2>
						<SegmentedLinks
							label="Group by"
							value={by}
							options={CARBON_BY.map((value) => ({ value, label: BY_LABEL[value], href: carbonHref({ range, by: value }) }))}
						/>
						<span className="ml-auto text-ink-3">
							Select a figure to see its charges. {datesLabel(datesOf(range, nowMs, zone))}, {zone}
						</span>
					</div>
					<QueryBoundary what="the breakdown" skeleton={<TableSkeleton rows={7} columns={7} label="Loading breakdown" />}>
						<CarbonTable view={view} />
					</QueryBoundary>
				</Panel>
				<Panel>
					<QueryBoundary what="data quality" skeleton={<TextSkeleton lines={8} label="Loading data quality" className="py-5" />}>
						<PanelSplit columns="minmax(0,1fr) minmax(0,1fr)">
							<QualityPanel view={view} />
							<MethodPanel view={view} />
						</PanelSplit>
					</QueryBoundary>
				</Panel>
			</PageBody>
		</HydrateClient>
	);
}
