import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { StoresPanel } from "#components/stores/stores-panel.tsx";
import { GRANTS } from "#server/domain/permissions.ts";

export const metadata: Metadata = { title: "Stores" };

export default async function SettingsStoresPage() {
	void getQueryClient().prefetchQuery(trpc.store.list.queryOptions());
	const actor = await signedIn();
	return (
		<HydrateClient>
			<SettingsPage title="Stores" tab="stores" what="stores" rows={5} columns={5}>
				<StoresPanel
					canManage={GRANTS[actor.role]["store:manage"] !== undefined}
					canPrice={GRANTS[actor.role]["rates:change"] !== undefined}
				/>
			</SettingsPage>
		</HydrateClient>
	);
}
