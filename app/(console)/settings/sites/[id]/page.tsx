import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { ChangeSiteForm } from "#components/sites/site-form.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Site" };

export default async function ChangeSitePage({ params }: { params: Promise<{ id: string }> }) {
	const { id } = await params;
	void getQueryClient().prefetchQuery(trpc.site.kinds.queryOptions());
	void getQueryClient().prefetchQuery(trpc.site.settings.queryOptions());
	return (
		<HydrateClient>
			<PageHeader title={id} crumbs={[{ label: "Sites", href: "/settings/sites" }]} />
			<PageBody>
				<QueryBoundary what="this site" framed skeleton={<TextSkeleton lines={10} label="Loading site" />}>
					<ChangeSiteForm id={id} />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
