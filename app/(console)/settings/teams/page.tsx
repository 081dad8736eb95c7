import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { TeamsPanel } from "#components/people/teams-panel.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { GRANTS } from "#server/domain/permissions.ts";

export const metadata: Metadata = { title: "Teams" };

export default async function SettingsTeamsPage() {
	void getQueryClient().prefetchQuery(trpc.team.list.queryOptions());
	const actor = await signedIn();
	return (
		<HydrateClient>
			<PageHeader title="Teams" />
			<SettingsTabs current="teams" />
			<PageBody>
				<QueryBoundary
					what="teams"
					framed
					skeleton={
						<Panel>
							<TableSkeleton rows={5} columns={3} label="Loading teams" />
						</Panel>
					}
				>
					<TeamsPanel canManage={GRANTS[actor.role]["account:manage"] !== undefined} />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
