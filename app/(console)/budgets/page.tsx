import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { AddBudget } from "#components/budgets/add-budget-dialog.tsx";
import { AlertsList } from "#components/budgets/alerts-panel.tsx";
import { BudgetVariance } from "#components/budgets/budget-variance.tsx";
import { BudgetsTable } from "#components/budgets/budgets-table.tsx";
import { ChangeCap } from "#components/budgets/cap-dialog.tsx";
import { ChannelsPanel, DeliveriesPanel } from "#components/budgets/channels-panel.tsx";
import { BurnDownPanel, WayPanel } from "#components/budgets/course-panels.tsx";
import { BudgetHead } from "#components/budgets/head.tsx";
import { OutlookPanel } from "#components/budgets/outlook-panel.tsx";
import { ALERT_STATES, alertsQuery, budgetQuery, budgetsHref, DELIVERIES_QUERY, loadBudgetParams } from "#components/budgets/params.ts";
import { ProposalsPanel } from "#components/budgets/proposals-panel.tsx";
import { AlertSettings } from "#components/budgets/settings-dialog.tsx";
import { HistoryPanel, SpendersPanel } from "#components/budgets/spenders-panels.tsx";
import type { ChosenBudget } from "#components/budgets/use-budget.ts";
import { LiveMeta } from "#components/page/live-meta.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { Panel, PanelSplit } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { ChartSkeleton, KpiSkeleton, TableSkeleton } from "#components/ui/skeleton.tsx";
import { ChangeBoundary } from "#components/variance/change-boundary.tsx";
import { sessionActor } from "#server/auth/session.ts";
import { hasPermission } from "#server/domain/custom-role.ts";

export const metadata: Metadata = { title: "Budgets" };

export default async function BudgetsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { budget, period, alerts, cap } = await loadBudgetParams(searchParams);
	const actor = await sessionActor();
	const canChange = actor?.kind === "person" && hasPermission(actor, "budget:change");
	const client = getQueryClient();
	void client.prefetchQuery(trpc.budget.settings.queryOptions());
	void client.prefetchQuery(trpc.budget.proposals.queryOptions());
	void client.prefetchQuery(trpc.alert.list.queryOptions(alertsQuery(alerts)));
	if (canChange) {
		void client.prefetchQuery(trpc.team.names.queryOptions());
		void client.prefetchQuery(trpc.channel.list.queryOptions());
		void client.prefetchQuery(trpc.channel.deliveries.queryOptions(DELIVERIES_QUERY));
	}
	// The first budget is known only once the list has loaded. If that fails, the list panel shows the error.
	const list = await client.fetchQuery(trpc.budget.list.queryOptions()).catch(() => []);
	const zone = (await client.fetchQuery(trpc.spend.calendar.queryOptions()).catch(() => null))?.zone ?? null;
	const id = budget ?? list[0]?.id ?? null;
	const chosen = id === null ? null : { id, period };
	if (chosen) void client.prefetchQuery(trpc.budget.get.queryOptions(budgetQuery(chosen.id, chosen.period)));
	return (
		<HydrateClient>
			<PageHeader
				title="Budgets"
				meta={<LiveMeta />}
				actions={
					canChange && (
						<>
							<AddBudget />
							{id !== null && <ChangeCap key={`${id} ${cap}`} budgetId={id} suggested={cap} />}
						</>
					)
				}
			/>
			<PageBody>
				{chosen && (
					<QueryBoundary what="this budget" framed skeleton={<KpiSkeleton count={5} label="Loading budget" />}>
						<BudgetHead chosen={chosen} />
					</QueryBoundary>
				)}
				<QueryBoundary what="proposals" framed skeleton={<TableSkeleton rows={1} columns={3} label="Loading approvals" />}>
					<ProposalsPanel canChange={canChange} />
				</QueryBoundary>
				<QueryBoundary what="budgets" framed skeleton={<TableSkeleton rows={5} columns={7} label="Loading budgets" />}>
					<BudgetsTable chosen={id} />
				</QueryBoundary>
				{chosen && <BudgetCourse chosen={chosen} />}
				{chosen && period === null && (
					<Panel>
						<QueryBoundary what="the outlook" skeleton={<TableSkeleton rows={4} columns={6} label="Loading outlook" />}>
							<OutlookPanel chosen={chosen} />
						</QueryBoundary>
					</Panel>
				)}
				{chosen && zone !== null && (
					<ChangeBoundary>
						<BudgetVariance chosen={chosen} zone={zone} />
					</ChangeBoundary>
				)}
				<Panel
					id="alerts"
					title="Alerts"
					actions={
						<>
							<SegmentedLinks
								label="Filter alerts"
								value={alerts}
								options={ALERT_STATES.map((value) => ({
									value,
									label: value === "open" ? "Open" : "Resolved",
									href: budgetsHref({ budget, period, alerts: value }),
								}))}
							/>
							{canChange && <AlertSettings />}
						</>
					}
				>
					<QueryBoundary what="alerts" skeleton={<TableSkeleton rows={4} columns={4} label="Loading alerts" />}>
						<AlertsList state={alerts} />
					</QueryBoundary>
				</Panel>
				{canChange && (
					<Panel id="channels">
						<PanelSplit columns="minmax(0,1fr) minmax(0,1.35fr)">
							<QueryBoundary what="channels" skeleton={<TableSkeleton rows={3} columns={2} label="Loading channels" />}>
								<ChannelsPanel />
							</QueryBoundary>
							<QueryBoundary what="the delivery log" skeleton={<TableSkeleton rows={4} columns={4} label="Loading delivery log" />}>
								<DeliveriesPanel />
							</QueryBoundary>
						</PanelSplit>
					</Panel>
				)}
			</PageBody>
		</HydrateClient>
	);
}

/** The selected budget: remaining amount, cap behavior, top spenders and earlier periods. */
function BudgetCourse({ chosen }: { chosen: ChosenBudget }) {
	return (
		<>
			<Panel>
				<PanelSplit columns="minmax(0,1.4fr) minmax(0,1fr)">
					<QueryBoundary what="the remaining budget" skeleton={<ChartSkeleton height={360} label="Loading remaining budget" />}>
						<BurnDownPanel chosen={chosen} />
					</QueryBoundary>
					<QueryBoundary what="the burn-down" skeleton={<TableSkeleton rows={4} columns={3} label="Loading burn-down" />}>
						<WayPanel chosen={chosen} />
					</QueryBoundary>
				</PanelSplit>
			</Panel>
			<Panel>
				<PanelSplit columns="minmax(0,1.4fr) minmax(0,1fr)">
					<QueryBoundary what="top spenders" skeleton={<TableSkeleton rows={6} columns={4} label="Loading top spenders" />}>
						<SpendersPanel chosen={chosen} />
					</QueryBoundary>
					<QueryBoundary what="earlier periods" skeleton={<TableSkeleton rows={3} columns={4} label="Loading earlier periods" />}>
						<HistoryPanel chosen={chosen} />
					</QueryBoundary>
				</PanelSplit>
			</Panel>
		</>
	);
}
