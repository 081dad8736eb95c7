import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { PageBody, PageHeader } from "#components/page/page-header.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { BudgetsPanel } from "#components/policies/budgets-panel.tsx";
import { PolicyLead } from "#components/policies/header.tsx";
import { MarkingProvider } from "#components/policies/marking.tsx";
import { ACTIVE_POLICY } from "#components/policies/params.ts";
import { RulesPanel } from "#components/policies/rules-panel.tsx";
import { VersionsPanel } from "#components/policies/versions-panel.tsx";
import { YamlPanel } from "#components/policies/yaml-panel.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";

export const metadata: Metadata = { title: "Policies" };

export default function PoliciesPage() {
	const client = getQueryClient();
	void client.prefetchQuery(trpc.policy.get.queryOptions(ACTIVE_POLICY));
	void client.prefetchQuery(trpc.budget.list.queryOptions());
	return (
		<HydrateClient>
			<PageHeader title="Policies" />
			<PageBody>
				<QueryBoundary
					what="The policy in force"
					framed
					skeleton={<TextSkeleton lines={2} className="max-w-215 px-0 py-2" label="Loading the summary" />}
				>
					<PolicyLead />
				</QueryBoundary>
				<MarkingProvider>
					<div className="grid items-start gap-4 rail:grid-cols-2">
						<div className="grid min-w-0 gap-4">
							<QueryBoundary what="The rules" framed skeleton={<Loading title="Rules" rows={7} />}>
								<RulesPanel />
							</QueryBoundary>
							<QueryBoundary what="The budgets" framed skeleton={<Loading title="Budgets" rows={2} />}>
								<BudgetsPanel />
							</QueryBoundary>
							<QueryBoundary what="The versions" framed skeleton={<Loading title="Versions" rows={3} />}>
								<VersionsPanel />
							</QueryBoundary>
						</div>
						<QueryBoundary what="The policy's text" framed skeleton={<Loading title="YAML" rows={14} />}>
							<YamlPanel />
						</QueryBoundary>
					</div>
				</MarkingProvider>
			</PageBody>
		</HydrateClient>
	);
}

function Loading({ title, rows }: { title: string; rows: number }) {
	return (
		<Panel title={title}>
			<TableSkeleton rows={rows} columns={2} label={`Loading: ${title}`} />
		</Panel>
	);
}
