import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { caller, getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { Forbidden } from "#components/page/states.tsx";
import { CurrencySlot } from "#components/spend/currency-slot.tsx";
import { DaysPanel, MonthEndPanel } from "#components/spend/days-panel.tsx";
import { ExportButton } from "#components/spend/export-button.tsx";
import { FilterBar } from "#components/spend/filter-bar.tsx";
import { FocusLinks } from "#components/spend/focus-links.tsx";
import { SpendHead } from "#components/spend/head.tsx";
import { LostPanel, PricesPanel, SavingsPanel } from "#components/spend/insight-panels.tsx";
import { JobsTable } from "#components/spend/jobs-table.tsx";
import { MonthsTable } from "#components/spend/months-panel.tsx";
import { jobPages } from "#components/spend/pages.ts";
import { bucketsFor, datesLabel, rangeLabel, SPEND_RANGES } from "#components/spend/range.ts";
import { SpendTable } from "#components/spend/table-panel.tsx";
import { VariancePanel } from "#components/spend/variance-panel.tsx";
import {
	BY_LABEL,
	bucketOfView,
	datesOfView,
	loadSpendParams,
	SPEND_BY,
	type SpendView,
	spendHref,
	spendQuery,
	tableView,
	viewOf,
} from "#components/spend/view.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel, PanelHeader, PanelSplit } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { ChartSkeleton, KpiSkeleton, TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";
import { ChangeBoundary } from "#components/variance/change-boundary.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Spend" };

const BUCKET_LABEL = { day: "Day", week: "Week", month: "Month" } as const;

export default async function SpendPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const actor = await sessionActor();
	const ownTeams = actor?.kind === "person" && actor.role === "data_scientist" ? actor.teams : null;
	if (ownTeams?.length === 0) return <NoTeam />;
	const call = await caller();
	const { zone } = await call.spend.calendar();
	const view = viewOf(await loadSpendParams(searchParams), zone);
	const nowMs = Date.now();
	prefetch(call, view, nowMs);
	const seesAll = ownTeams === null;
	return (
		<HydrateClient>
			<PageHeader
				title="Spend"
				meta={
					<span className="min-w-0 max-rail:hidden">
						<Ranges view={view} nowMs={nowMs} />
					</span>
				}
				actions={<ExportButton view={view} />}
			/>
			<PageBody>
				<div className="rail:hidden">
					<Ranges view={view} nowMs={nowMs} />
				</div>
				<FilterBar view={view} />
				{ownTeams && <p className="text-ink-2">Shows your teams only: {ownTeams.join(", ")}. Excludes idle hardware.</p>}
				<QueryBoundary what="totals" framed skeleton={<KpiSkeleton count={5} label="Loading totals" />}>
					<SpendHead view={view} seesAll={seesAll} />
				</QueryBoundary>
				<Variance view={view} />
				<ChartPanel view={view} nowMs={nowMs} />
				<GroupsPanel view={view} nowMs={nowMs} />
				<QueryBoundary what="spend in the reporting currency" skeleton={null}>
					<CurrencySlot view={view} />
				</QueryBoundary>
				<Panel title="Monthly spend" sub="filtered as above">
					<QueryBoundary what="monthly spend" skeleton={<TableSkeleton rows={3} columns={8} label="Loading monthly spend" />}>
						<MonthsTable view={view} />
					</QueryBoundary>
				</Panel>
				<Panel>
					<QueryBoundary
						what="prices, savings and waste"
						skeleton={<TextSkeleton lines={8} label="Loading prices, savings and waste" className="py-5" />}
					>
						<PanelSplit from="wide" columns="minmax(0,1.95fr) minmax(0,1.3fr)">
							<PanelSplit columns="minmax(0,1.15fr) minmax(0,.8fr)">
								<PricesPanel view={view} seesAll={seesAll} />
								<SavingsPanel view={view} />
							</PanelSplit>
							<LostPanel view={view} />
						</PanelSplit>
					</QueryBoundary>
				</Panel>
			</PageBody>
		</HydrateClient>
	);
}

/** Why the range differs from the one before. */
function Variance({ view }: { view: SpendView }) {
	return (
		<ChangeBoundary>
			<VariancePanel view={view} />
		</ChangeBoundary>
	);
}

function prefetch(call: Awaited<ReturnType<typeof caller>>, view: SpendView, nowMs: number): void {
	const client = getQueryClient();
	const query = spendQuery(view, nowMs);
	void client.prefetchQuery(trpc.spend.page.queryOptions(query));
	if (view.bar) void client.prefetchQuery(trpc.spend.page.queryOptions(spendQuery(tableView(view, nowMs), nowMs)));
	void client.prefetchQuery(trpc.spend.variance.queryOptions({ fromMs: query.fromMs, toMs: query.toMs, filters: query.filters }));
	void client.prefetchQuery(trpc.spend.options.queryOptions({ fromMs: query.fromMs, toMs: query.toMs }));
	void client.prefetchQuery(trpc.currency.get.queryOptions());
	void client.prefetchQuery(trpc.budget.list.queryOptions());
	if (view.by === "job")
		void client.prefetchInfiniteQuery(jobPages(trpc.spend.jobs.pathKey(), view, nowMs, (input) => call.spend.jobs(input)));
}

function Ranges({ view, nowMs }: { view: SpendView; nowMs: number }) {
	const presets = SPEND_RANGES.map((value) => ({
		value,
		label: rangeLabel(value, nowMs, view.zone),
		href: spendHref({ ...view, range: value, dates: null, bucket: null, bar: null }),
	}));
	const chosen = view.dates && { value: "dates" as const, label: datesLabel(view.dates), href: spendHref(view) };
	return <SegmentedLinks label="Range" value={chosen ? "dates" : view.range} options={[...presets, ...(chosen ? [chosen] : [])]} />;
}

function ChartPanel({ view, nowMs }: { view: SpendView; nowMs: number }) {
	const bucket = bucketOfView(view, nowMs);
	const buckets = bucketsFor(datesOfView(view, nowMs));
	return (
		<Panel>
			<PanelSplit columns="minmax(0,1.9fr) minmax(0,1fr)">
				<div className="min-w-0">
					<PanelHeader
						title={`Owned and cloud spend per ${bucket}`}
						sub={`USD per ${bucket}, ${view.zone}`}
						actions={
							<>
								<Reset view={view} />
								{buckets.length > 1 && (
									<SegmentedLinks
										label="Bar size"
										value={bucket}
										options={buckets.map((value) => ({
											value,
											label: BUCKET_LABEL[value],
											href: spendHref({ ...view, bucket: value, bar: null }),
										}))}
									/>
								)}
							</>
						}
					/>
					<QueryBoundary what="the chart" skeleton={<ChartSkeleton height={320} label="Loading chart" />}>
						<DaysPanel view={view} />
					</QueryBoundary>
				</div>
				<QueryBoundary what="the forecast" skeleton={<TableSkeleton rows={4} columns={4} label="Loading forecast" />}>
					<MonthEndPanel view={view} />
				</QueryBoundary>
			</PanelSplit>
		</Panel>
	);
}

/** Undoes what was selected in the chart, as Escape does. */
function Reset({ view }: { view: SpendView }) {
	if (!view.bar && !view.dates) return null;
	const href = spendHref(view.bar ? { ...view, bar: null } : { ...view, dates: null, bucket: null });
	return (
		<Link href={href} scroll={false} className="text-xs font-strong text-accent hover:underline">
			{view.bar ? "Clear bar" : "Reset range"}
		</Link>
	);
}

function GroupsPanel({ view: whole, nowMs }: { view: SpendView; nowMs: number }) {
	const view = tableView(whole, nowMs);
	return (
		<Panel footer={<FocusLinks dates={datesOfView(view, nowMs)} />}>
			<div className="flex min-h-11.5 flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2">
				<h2 className="text-sm font-semibold">Breakdown</h2>
				<SegmentedLinks
					label="Group by"
					value={view.by}
					options={SPEND_BY.map((value) => ({ value, label: BY_LABEL[value], href: spendHref({ ...whole, by: value }) }))}
				/>
				<span className="ml-auto text-ink-3">
					Select a figure to see its charges. {datesLabel(datesOfView(view, nowMs))}, {view.zone}
				</span>
			</div>
			<QueryBoundary what="the breakdown" skeleton={<TableSkeleton rows={7} columns={7} label="Loading breakdown" />}>
				{view.by === "job" ? <JobsTable view={view} /> : <SpendTable view={view} />}
			</QueryBoundary>
		</Panel>
	);
}

/** Shown to users without a team: they have no own spend and cannot see that of others. */
function NoTeam() {
	return (
		<>
			<PageHeader title="Spend" />
			<PageBody>
				<Panel>
					<Forbidden
						what="spend of other teams"
						who="platform engineers and finance"
						detail="You are not in a team yet. Ask an administrator to add you."
					/>
				</Panel>
			</PageBody>
		</>
	);
}
