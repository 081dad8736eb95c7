import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { CurrencyPanel } from "#components/currency/currency-panel.tsx";
import { RATES_SHOWN } from "#components/currency/rates-shown.ts";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";

export const metadata: Metadata = { title: "Currency" };

export default async function SettingsCurrencyPage() {
	const actor = await signedIn();
	const mayRead = hasPermission(actor, "rates:read");
	const client = getQueryClient();
	if (mayRead) {
		void client.prefetchQuery(trpc.currency.get.queryOptions());
		void client.prefetchQuery(trpc.currency.rates.queryOptions({ limit: RATES_SHOWN }));
	}
	return (
		<HydrateClient>
			<SettingsPage
				title="Currency"
				tab="currency"
				what="exchange rates"
				rows={4}
				columns={4}
				notShown={mayRead ? undefined : "Platform engineers and finance see exchange rates."}
			>
				<CurrencyPanel mayChange={hasPermission(actor, "rates:change")} />
			</SettingsPage>
		</HydrateClient>
	);
}
