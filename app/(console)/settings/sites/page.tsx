import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { LiveMeta } from "#components/page/live-meta.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { SitesPanel } from "#components/sites/sites-panel.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Sites" };

export default function SettingsSitesPage() {
	void getQueryClient().prefetchQuery(trpc.site.settings.queryOptions());
	void getQueryClient().prefetchQuery(trpc.site.kinds.queryOptions());
	const actions = <ButtonLink href="/settings/sites/new">Add site</ButtonLink>;
	return (
		<HydrateClient>
			<PageHeader
				title="Sites"
				meta={
					<span className="max-md:hidden">
						<LiveMeta />
					</span>
				}
				actions={actions}
			/>
			<SettingsTabs current="sites" />
			<PageBody>
				<Panel title="Sites" sub="cloud accounts and clusters">
					<QueryBoundary what="sites" skeleton={<TableSkeleton rows={4} columns={3} label="Loading sites" />}>
						<SitesPanel />
					</QueryBoundary>
				</Panel>
			</PageBody>
		</HydrateClient>
	);
}
