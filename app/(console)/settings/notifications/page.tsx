import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { NotificationsPanel } from "#components/notifications/notifications-panel.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Notifications" };

export default function SettingsNotificationsPage() {
	void getQueryClient().prefetchQuery(trpc.notification.get.queryOptions());
	return (
		<HydrateClient>
			<PageHeader title="Notifications" />
			<SettingsTabs current="notifications" />
			<PageBody>
				<QueryBoundary
					what="notifications"
					framed
					skeleton={
						<Panel>
							<TableSkeleton rows={5} columns={1} label="Loading notifications" />
						</Panel>
					}
				>
					<NotificationsPanel />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
