import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { StoresPanel } from "#components/stores/stores-panel.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { GRANTS } from "#server/domain/permissions.ts";

export const metadata: Metadata = { title: "Stores" };

export default async function SettingsStoresPage() {
	void getQueryClient().prefetchQuery(trpc.store.list.queryOptions());
	const actor = await signedIn();
	return (
		<HydrateClient>
			<PageHeader title="Stores" />
			<SettingsTabs current="stores" />
			<PageBody>
				<QueryBoundary
					what="stores"
					framed
					skeleton={
						<Panel>
							<TableSkeleton rows={5} columns={5} label="Loading stores" />
						</Panel>
					}
				>
					<StoresPanel
						canManage={GRANTS[actor.role]["store:manage"] !== undefined}
						canPrice={GRANTS[actor.role]["rates:change"] !== undefined}
					/>
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
