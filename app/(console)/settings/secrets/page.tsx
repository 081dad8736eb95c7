import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { SecretsPanel } from "#components/secrets/secrets-panel.tsx";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";
import { GRANTS } from "#server/domain/permissions.ts";

export const metadata: Metadata = { title: "Secrets" };

export default async function SettingsSecretsPage() {
	const actor = await signedIn();
	const mayRead = hasPermission(actor, "secret:read");
	const client = getQueryClient();
	if (mayRead) {
		void client.prefetchQuery(trpc.secret.list.queryOptions());
		void client.prefetchQuery(trpc.team.names.queryOptions());
	}
	return (
		<HydrateClient>
			<SettingsPage
				title="Secrets"
				tab="secrets"
				what="secrets"
				rows={4}
				columns={4}
				notShown={mayRead ? undefined : "Secrets belong to teams. Platform engineers and members of a team see them."}
			>
				<SecretsPanel ownTeams={GRANTS[actor.role]["secret:manage"] === "all" ? null : actor.teams} />
			</SettingsPage>
		</HydrateClient>
	);
}
