import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { PeoplePanel } from "#components/people/people-panel.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { signInOptions } from "#server/auth/sign-in-options.ts";

export const metadata: Metadata = { title: "People" };

export default async function SettingsPeoplePage() {
	const client = getQueryClient();
	void client.prefetchQuery(trpc.account.list.queryOptions());
	void client.prefetchQuery(trpc.team.list.queryOptions());
	void client.prefetchQuery(trpc.groupMapping.list.queryOptions());
	void client.prefetchQuery(trpc.team.names.queryOptions());
	const { sso, demoAccounts } = await signInOptions();
	return (
		<HydrateClient>
			<PageHeader title="People" />
			<SettingsTabs current="people" />
			<PageBody>
				<QueryBoundary
					what="people"
					framed
					skeleton={
						<Panel>
							<TableSkeleton rows={6} columns={4} label="Loading people" />
						</Panel>
					}
				>
					<PeoplePanel sso={sso || demoAccounts !== null} />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
