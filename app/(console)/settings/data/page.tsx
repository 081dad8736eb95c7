import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { DataPanels } from "#components/data/data-panels.tsx";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";

export const metadata: Metadata = { title: "Data" };

export default async function SettingsDataPage() {
	void getQueryClient().prefetchQuery(trpc.dataSet.list.queryOptions());
	const actor = await signedIn();
	return (
		<HydrateClient>
			<SettingsPage title="Data" tab="data" what="data sets" rows={5} columns={4}>
				<DataPanels canChange={hasPermission(actor, "data:change")} />
			</SettingsPage>
		</HydrateClient>
	);
}
