import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { TeamsPanel } from "#components/people/teams-panel.tsx";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";

export const metadata: Metadata = { title: "Teams" };

export default async function SettingsTeamsPage() {
	void getQueryClient().prefetchQuery(trpc.team.list.queryOptions());
	const actor = await signedIn();
	return (
		<HydrateClient>
			<SettingsPage title="Teams" tab="teams" what="teams" rows={5} columns={3}>
				<TeamsPanel canManage={hasPermission(actor, "account:manage")} />
			</SettingsPage>
		</HydrateClient>
	);
}
