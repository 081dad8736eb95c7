import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { CurrencyPanel } from "#components/currency/currency-panel.tsx";
import { RATES_SHOWN } from "#components/currency/rates-shown.ts";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { GRANTS } from "#server/domain/permissions.ts";

export const metadata: Metadata = { title: "Currency" };

export default async function SettingsCurrencyPage() {
	const { role } = await signedIn();
	const mayRead = GRANTS[role]["rates:read"] !== undefined;
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
				<CurrencyPanel mayChange={GRANTS[role]["rates:change"] !== undefined} />
			</SettingsPage>
		</HydrateClient>
	);
}
