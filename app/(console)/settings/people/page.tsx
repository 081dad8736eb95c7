import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PeoplePanel } from "#components/people/people-panel.tsx";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { signInOptions } from "#server/auth/sign-in-options.ts";

export const metadata: Metadata = { title: "People" };

export default async function SettingsPeoplePage() {
	const client = getQueryClient();
	void client.prefetchQuery(trpc.account.list.queryOptions());
	void client.prefetchQuery(trpc.role.list.queryOptions());
	void client.prefetchQuery(trpc.team.list.queryOptions());
	void client.prefetchQuery(trpc.groupMapping.list.queryOptions());
	void client.prefetchQuery(trpc.team.names.queryOptions());
	const { sso, demoAccounts } = await signInOptions();
	return (
		<HydrateClient>
			<SettingsPage title="People" tab="people" what="people" rows={6} columns={4}>
				<PeoplePanel sso={sso || demoAccounts !== null} />
			</SettingsPage>
		</HydrateClient>
	);
}
