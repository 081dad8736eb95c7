import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { CurrencyPanel } from "#components/currency/currency-panel.tsx";
import { RATES_SHOWN } from "#components/currency/rates-shown.ts";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
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
			<PageHeader title="Currency" />
			<SettingsTabs current="currency" />
			<PageBody>
				{mayRead ? (
					<QueryBoundary
						what="exchange rates"
						framed
						skeleton={
							<Panel>
								<TableSkeleton rows={4} columns={4} label="Loading exchange rates" />
							</Panel>
						}
					>
						<CurrencyPanel mayChange={GRANTS[role]["rates:change"] !== undefined} />
					</QueryBoundary>
				) : (
					<Panel title="Exchange rates">
						<EmptyState icon="lock" title="Not shown to your role">
							Platform engineers and finance see exchange rates.
						</EmptyState>
					</Panel>
				)}
			</PageBody>
		</HydrateClient>
	);
}
