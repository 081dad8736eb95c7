import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { TokensPanel } from "#components/tokens/tokens-panel.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";

export const metadata: Metadata = { title: "Tokens" };

export default async function SettingsTokensPage() {
	const client = getQueryClient();
	void client.prefetchQuery(trpc.token.list.queryOptions());
	const actor = await signedIn();
	const canManage = hasPermission(actor, "account:manage");
	if (canManage) void client.prefetchQuery(trpc.account.list.queryOptions());
	return (
		<HydrateClient>
			<SettingsPage title="Tokens" tab="tokens" what="tokens" rows={4} columns={4}>
				<TokensPanel canManage={canManage} />
			</SettingsPage>
		</HydrateClient>
	);
}
