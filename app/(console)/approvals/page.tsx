import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { ApprovalDetail } from "#components/approvals/approval-detail.tsx";
import { ApprovalsList } from "#components/approvals/approvals-list.tsx";
import { ApprovalsExport } from "#components/approvals/export-button.tsx";
import { APPROVAL_VIEWS, approvalsHref, approvalsQuery, loadApprovalParams } from "#components/approvals/params.ts";
import { SecondPersonPanel } from "#components/approvals/proposals-panel.tsx";
import { LiveMeta } from "#components/page/live-meta.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { cn } from "#components/ui/cn.ts";
import { Panel } from "#components/ui/panel.tsx";
import { SegmentedLinks } from "#components/ui/segmented.tsx";
import { TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Approvals" };

export default async function ApprovalsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
	const { view, approval } = await loadApprovalParams(searchParams);
	const actor = await sessionActor();
	const role = actor?.kind === "person" ? actor.role : "data_scientist";
	const client = getQueryClient();
	void client.prefetchQuery(trpc.approval.list.queryOptions(approvalsQuery(view)));
	void client.prefetchQuery(trpc.approval.proposals.queryOptions());
	if (approval !== null) void client.prefetchQuery(trpc.approval.get.queryOptions({ id: approval }));
	return (
		<HydrateClient>
			<PageHeader title="Approvals" meta={<LiveMeta />} />
			<PageBody>
				<div className={cn("group/asked grid items-start gap-4", approval !== null && "rail:grid-cols-[minmax(0,1fr)_minmax(0,1.25fr)]")}>
					<Panel
						id="asked"
						title="Approvals"
						// On a phone, an open approval takes the whole screen. One that fails to load leaves the list visible.
						className="max-rail:group-has-[#approval]/asked:hidden"
						actions={
							<>
								<ApprovalsExport view={view} />
								<SegmentedLinks
									label="Filter approvals"
									value={view}
									options={APPROVAL_VIEWS.map((value) => ({
										value,
										label: value === "open" ? "Pending" : "Decided",
										href: approvalsHref({ view: value }),
									}))}
								/>
							</>
						}
					>
						<QueryBoundary what="approvals" skeleton={<TableSkeleton rows={4} columns={3} label="Loading approvals" />}>
							<ApprovalsList view={view} chosen={approval} />
						</QueryBoundary>
					</Panel>
					{approval !== null && (
						<div className="max-rail:order-first">
							<QueryBoundary key={approval} what="this approval" framed skeleton={<TextSkeleton lines={8} label="Loading approval" />}>
								<ApprovalDetail id={approval} view={view} />
							</QueryBoundary>
						</div>
					)}
				</div>
				<QueryBoundary what="proposed changes" framed skeleton={<TableSkeleton rows={1} columns={3} label="Loading changes" />}>
					<SecondPersonPanel view={view} role={role} />
				</QueryBoundary>
			</PageBody>
		</HydrateClient>
	);
}
