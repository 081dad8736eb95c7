import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { caller, getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { ChargesExport, ChargesHead, ChargesTable } from "#components/charges/charges-panel.tsx";
import { ChargesScope } from "#components/charges/charges-scope.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { FilterBar } from "#components/spend/filter-bar.tsx";
import { FocusLinks } from "#components/spend/focus-links.tsx";
import { chargePages } from "#components/spend/pages.ts";
import {
	type ChargesPart,
	type ChargesView,
	chargesHref,
	chargesQuery,
	chargesViewOf,
	datesOfView,
	loadChargesParams,
	spendHref,
	viewLabel,
} from "#components/spend/view.ts";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { KpiSkeleton, TableSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Charges" };

export default async function ChargesPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const call = await caller();
	const { zone } = await call.spend.calendar();
	const view = chargesViewOf(await loadChargesParams(searchParams), zone);
	const { job, cause, correction, lost, withoutIdle, asOf, since, budget, bills, of } = view;
	const nowMs = Date.now();
	const query = chargesQuery(view, nowMs);
	const client = getQueryClient();
	void client.prefetchInfiniteQuery(chargePages(trpc.spend.charges.pathKey(), view, nowMs, (input) => call.spend.charges(input)));
	void client.prefetchQuery(trpc.spend.options.queryOptions({ fromMs: query.fromMs, toMs: query.toMs }));
	return (
		<HydrateClient>
			<PageHeader
				title="Charges"
				crumbs={[{ label: "Spend", href: spendHref(view) }]}
				meta={<span className="truncate text-ink-3 max-md:hidden">{viewLabel(view, nowMs)}</span>}
				actions={<ChargesExport view={view} />}
			/>
			<PageBody>
				<FilterBar view={view} charges={{ job, cause, correction, lost, withoutIdle, asOf, since, budget, bills, of }} />
				<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
					<ReadAs view={view} />
					<ChargesScope view={view} />
				</div>
				<QueryBoundary what="totals" framed skeleton={<KpiSkeleton count={5} label="Loading totals" />}>
					<ChargesHead view={view} />
				</QueryBoundary>
				<Panel footer={<FocusLinks dates={datesOfView(view, nowMs)} asOf={asOf} />}>
					<QueryBoundary what="charges" skeleton={<TableSkeleton rows={10} columns={8} label="Loading charges" />}>
						<ChargesTable view={view} />
					</QueryBoundary>
				</Panel>
			</PageBody>
		</HydrateClient>
	);
}

const READ_AS = [
	{ value: "cost", label: "Cost" },
	{ value: "carbon", label: "CO2e" },
] as const satisfies readonly { value: ChargesPart["of"]; label: string }[];

/** The same charges, by cost or by emissions. */
function ReadAs({ view }: { view: ChargesView }) {
	return (
		<SegmentedLinks
			label="Charges by"
			value={view.of}
			options={READ_AS.map((option) => ({ ...option, href: chargesHref({ ...view, of: option.value }) }))}
		/>
	);
}
