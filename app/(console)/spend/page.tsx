import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { DaysPanel, MonthEndPanel } from "#components/spend/days-panel.tsx";
import { ExportButton } from "#components/spend/export-button.tsx";
import { SpendHead } from "#components/spend/head.tsx";
import { LostPanel, PricesPanel, SavingsPanel } from "#components/spend/insight-panels.tsx";
import {
	BY_LABEL,
	loadSpendParams,
	rangeDays,
	rangeLabel,
	rangeOf,
	SPEND_BY,
	SPEND_RANGES,
	spendHref,
	spendQuery,
} from "#components/spend/range.ts";
import { SpendTable } from "#components/spend/table-panel.tsx";
import { Panel, PanelHeader, PanelSplit } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { ChartSkeleton, KpiSkeleton, TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Spend" };

export default async function SpendPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { range, by } = await loadSpendParams(searchParams);
	const actor = await sessionActor();
	const ownTeams = actor?.kind === "person" && actor.role === "data_scientist" ? actor.teams : null;
	const nowMs = Date.now();
	const view = { range, by };
	const client = getQueryClient();
	void client.prefetchQuery(trpc.spend.page.queryOptions(spendQuery(range, by, nowMs)));
	void client.prefetchQuery(trpc.budget.list.queryOptions());
	const ranges = (
		<SegmentedLinks
			label="Range"
			value={range}
			options={SPEND_RANGES.map((value) => ({ value, label: rangeLabel(value, nowMs), href: spendHref({ range: value, by }) }))}
		/>
	);
	return (
		<HydrateClient>
			<PageHeader title="Spend" meta={<span className="max-md:hidden">{ranges}</span>} actions={<ExportButton view={view} />} />
			<PageBody>
				<div className="md:hidden">{ranges}</div>
				{ownTeams && (
					<p className="text-ink-2">
						You see the spend of your teams: {ownTeams.join(", ")}. Idle hardware belongs to no team and is not in it.
					</p>
				)}
				<QueryBoundary what="The sums" framed skeleton={<KpiSkeleton count={5} label="Loading the sums" />}>
					<SpendHead view={view} seesAll={ownTeams === null} />
				</QueryBoundary>
				<Panel>
					<PanelSplit columns="minmax(0,1.9fr) minmax(0,1fr)">
						<div className="min-w-0">
							<PanelHeader title="Owned and cloud by day" sub="dollars a day, UTC" />
							<QueryBoundary what="The days" skeleton={<ChartSkeleton height={320} label="Loading the days" />}>
								<DaysPanel view={view} />
							</QueryBoundary>
						</div>
						<QueryBoundary what="The month's end" skeleton={<TableSkeleton rows={4} columns={4} label="Loading the forecast" />}>
							<MonthEndPanel view={view} />
						</QueryBoundary>
					</PanelSplit>
				</Panel>
				<Panel>
					<div className="flex min-h-11.5 flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2">
						<h2 className="text-sm font-semibold">Where it went</h2>
						<SegmentedLinks
							label="Group by"
							value={by}
							options={SPEND_BY.map((value) => ({ value, label: BY_LABEL[value], href: spendHref({ range, by: value }) }))}
						/>
						<span className="ml-auto text-ink-3">{rangeDays(rangeOf(range, nowMs))}, UTC</span>
					</div>
					<QueryBoundary what="The table" skeleton={<TableSkeleton rows={7} columns={7} label="Loading the table" />}>
						<SpendTable view={view} />
					</QueryBoundary>
				</Panel>
				<Panel>
					<QueryBoundary
						what="Prices, savings and losses"
						skeleton={<TextSkeleton lines={8} label="Loading prices, savings and losses" className="py-5" />}
					>
						<PanelSplit columns="minmax(0,1.15fr) minmax(0,.8fr) minmax(0,1.3fr)">
							<PricesPanel view={view} seesAll={ownTeams === null} />
							<SavingsPanel view={view} />
							<LostPanel view={view} />
						</PanelSplit>
					</QueryBoundary>
				</Panel>
			</PageBody>
		</HydrateClient>
	);
}
