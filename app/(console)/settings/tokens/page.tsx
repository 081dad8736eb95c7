import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { TokensPanel } from "#components/tokens/tokens-panel.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { GRANTS } from "#server/domain/permissions.ts";

export const metadata: Metadata = { title: "Tokens" };

export default async function SettingsTokensPage() {
	const client = getQueryClient();
	void client.prefetchQuery(trpc.token.list.queryOptions());
	const actor = await signedIn();
	const canManage = GRANTS[actor.role]["account:manage"] !== undefined;
	if (canManage) void client.prefetchQuery(trpc.account.list.queryOptions());
	return (
		<HydrateClient>
			<PageHeader title="Tokens" />
			<SettingsTabs current="tokens" />
			<PageBody>
				<QueryBoundary
					what="tokens"
					framed
					skeleton={
						<Panel>
							<TableSkeleton rows={4} columns={4} label="Loading tokens" />
						</Panel>
					}
				>
					<TokensPanel canManage={canManage} />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
