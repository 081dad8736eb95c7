import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { SecretsPanel } from "#components/secrets/secrets-panel.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { GRANTS } from "#server/domain/permissions.ts";

export const metadata: Metadata = { title: "Secrets" };

export default async function SettingsSecretsPage() {
	const actor = await signedIn();
	const mayRead = GRANTS[actor.role]["secret:read"] !== undefined;
	const client = getQueryClient();
	if (mayRead) {
		void client.prefetchQuery(trpc.secret.list.queryOptions());
		void client.prefetchQuery(trpc.team.names.queryOptions());
	}
	return (
		<HydrateClient>
			<PageHeader title="Secrets" />
			<SettingsTabs current="secrets" />
			<PageBody>
				{mayRead ? (
					<QueryBoundary
						what="secrets"
						framed
						skeleton={
							<Panel>
								<TableSkeleton rows={4} columns={4} label="Loading secrets" />
							</Panel>
						}
					>
						<SecretsPanel ownTeams={GRANTS[actor.role]["secret:manage"] === "all" ? null : actor.teams} />
					</QueryBoundary>
				) : (
					<Panel title="Secrets">
						<EmptyState icon="lock" title="Not shown to your role">
							Secrets belong to teams. Platform engineers and members of a team see them.
						</EmptyState>
					</Panel>
				)}
			</PageBody>
		</HydrateClient>
	);
}
