import type { Metadata } from "next";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { CommitmentsPanel } from "#components/agreements/commitments-panel.tsx";
import { DiscountsPanel } from "#components/agreements/discounts-panel.tsx";
import { PriceSnapshotsPanel } from "#components/agreements/price-snapshots-panel.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { SettingsTabs } from "#components/settings/settings-tabs.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { hasPermission } from "#server/domain/custom-role.ts";

export const metadata: Metadata = { title: "Discounts and commitments" };

export default async function AgreementsPage() {
	const actor = await signedIn();
	const client = getQueryClient();
	void client.prefetchQuery(trpc.rates.discounts.queryOptions());
	void client.prefetchQuery(trpc.rates.commitments.queryOptions());
	void client.prefetchQuery(trpc.offer.snapshots.queryOptions());
	void client.prefetchQuery(trpc.site.list.queryOptions());
	return (
		<HydrateClient>
			<PageHeader title="Discounts and commitments" />
			<SettingsTabs current="agreements" />
			<PageBody>
				<Panel>
					<QueryBoundary what="discounts" skeleton={<TableSkeleton rows={2} columns={2} label="Loading discounts" />}>
						<DiscountsPanel />
					</QueryBoundary>
				</Panel>
				<Panel>
					<QueryBoundary what="commitments" skeleton={<TableSkeleton rows={2} columns={2} label="Loading commitments" />}>
						<CommitmentsPanel />
					</QueryBoundary>
				</Panel>
				<Panel>
					<QueryBoundary what="imported prices" skeleton={<TableSkeleton rows={2} columns={4} label="Loading imported prices" />}>
						<PriceSnapshotsPanel mayChange={hasPermission(actor, "rates:change")} />
					</QueryBoundary>
				</Panel>
			</PageBody>
		</HydrateClient>
	);
}
