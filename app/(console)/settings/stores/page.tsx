import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { StoresPanel } from "#components/stores/stores-panel.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";

export const metadata: Metadata = { title: "Stores" };

export default async function SettingsStoresPage() {
	void getQueryClient().prefetchQuery(trpc.store.list.queryOptions());
	const actor = await signedIn();
	return (
		<HydrateClient>
			<SettingsPage title="Stores" tab="stores" what="stores" rows={5} columns={5}>
				<StoresPanel canManage={hasPermission(actor, "store:manage")} canPrice={hasPermission(actor, "rates:change")} />
			</SettingsPage>
		</HydrateClient>
	);
}
