import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { AddSiteForm } from "#components/sites/site-form.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Add site" };

export default function AddSitePage() {
	void getQueryClient().prefetchQuery(trpc.site.kinds.queryOptions());
	return (
		<HydrateClient>
			<PageHeader title="Add site" crumbs={[{ label: "Sites", href: "/settings/sites" }]} />
			<PageBody>
				<QueryBoundary what="the form" framed skeleton={<TextSkeleton lines={10} label="Loading form" />}>
					<AddSiteForm />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
