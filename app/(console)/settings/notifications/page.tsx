import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { NotificationsPanel } from "#components/notifications/notifications-panel.tsx";
import { SettingsPage } from "#components/settings/settings-page.tsx";

export const metadata: Metadata = { title: "Notifications" };

export default function SettingsNotificationsPage() {
	void getQueryClient().prefetchQuery(trpc.notification.get.queryOptions());
	return (
		<HydrateClient>
			<SettingsPage title="Notifications" tab="notifications" what="notifications" rows={5} columns={1}>
				<NotificationsPanel />
			</SettingsPage>
		</HydrateClient>
	);
}
