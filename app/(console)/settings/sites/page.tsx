import type { Metadata } from "next";
import Link from "next/link";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { LiveMeta } from "#components/page/live-meta.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { SitesPanel } from "#components/sites/sites-panel.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Sites" };

const LINK = "rounded-md border border-control px-2.5 py-1 font-medium text-ink hover:bg-sunken";

export default function SettingsSitesPage() {
	void getQueryClient().prefetchQuery(trpc.site.settings.queryOptions());
	const actions = (
		<>
			<Link href="/settings/agreements" className={LINK}>
				Agreed prices
			</Link>
			<Link href="/settings/sites/new" className={LINK}>
				Add a site
			</Link>
		</>
	);
	return (
		<HydrateClient>
			<PageHeader title="Sites" meta={<LiveMeta />} actions={actions} />
			<PageBody>
				<Panel title="Sites" sub="cloud accounts and clusters">
					<QueryBoundary what="The sites" skeleton={<TableSkeleton rows={4} columns={3} label="Loading the sites" />}>
						<SitesPanel />
					</QueryBoundary>
				</Panel>
			</PageBody>
		</HydrateClient>
	);
}
