import type { Metadata } from "next";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { QueryBoundary } from "#components/page/query-boundary.tsx";
import { BudgetsPanel } from "#components/policies/budgets-panel.tsx";
import { PolicyLead } from "#components/policies/header.tsx";
import { ManagedBanner } from "#components/policies/managed-note.tsx";
import { MarkingProvider } from "#components/policies/marking.tsx";
import { ACTIVE_POLICY, VERSIONS_QUERY } from "#components/policies/params.ts";
import { PolicyScreen } from "#components/policies/policy-screen.tsx";
import { PolicyProposals } from "#components/policies/proposals-panel.tsx";
import { RulesPanel } from "#components/policies/rules-panel.tsx";
import { SecondPersonSetting } from "#components/policies/second-person.tsx";
import { VersionsPanel } from "#components/policies/versions-panel.tsx";
import { YamlPanel } from "#components/policies/yaml-panel.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";
import { sessionActor } from "#server/auth/session.ts";

export const metadata: Metadata = { title: "Policies" };

export default async function PoliciesPage() {
	const actor = await sessionActor();
	const canEdit = actor?.kind === "person" && actor.role === "platform";
	const client = getQueryClient();
	void client.prefetchQuery(trpc.policy.versions.queryOptions(VERSIONS_QUERY));
	void client.prefetchQuery(trpc.budget.list.queryOptions());
	if (canEdit) {
		void client.prefetchQuery(trpc.policy.draft.get.queryOptions(ACTIVE_POLICY));
		void client.prefetchQuery(trpc.policy.settings.queryOptions());
	}
	// The first screenful is complete in the first HTML, so that it does not move.
	await Promise.all([
		client.prefetchQuery(trpc.policy.get.queryOptions(ACTIVE_POLICY)),
		client.prefetchQuery(trpc.policy.names.queryOptions()),
		client.prefetchQuery(trpc.policy.proposals.queryOptions()),
	]);
	return (
		<HydrateClient>
			<PolicyScreen editor={canEdit ? { accountId: actor.accountId } : null}>
				<QueryBoundary
					what="the active policy"
					framed
					skeleton={<TextSkeleton lines={2} className="max-w-215 px-0 py-2" label="Loading the summary" />}
				>
					<PolicyLead canEdit={canEdit} />
					<ManagedBanner canPublish={canEdit} />
				</QueryBoundary>
				<QueryBoundary what="proposals" framed skeleton={null}>
					<PolicyProposals canDecide={canEdit} />
				</QueryBoundary>
				<MarkingProvider>
					<div className="grid items-start gap-4 rail:grid-cols-2">
						<div className="grid min-w-0 gap-4">
							<QueryBoundary what="rules" framed skeleton={<Loading title="Rules" rows={7} />}>
								<RulesPanel canSeeEffects={canEdit} />
							</QueryBoundary>
							<QueryBoundary what="budgets" framed skeleton={<Loading title="Budgets" rows={2} />}>
								<BudgetsPanel />
							</QueryBoundary>
							<QueryBoundary what="versions" framed skeleton={<Loading title="Versions" rows={3} />}>
								<VersionsPanel mode="read" actions={canEdit && <SecondPersonSetting />} />
							</QueryBoundary>
						</div>
						<QueryBoundary what="the policy text" framed skeleton={<Loading title="YAML" rows={14} />}>
							<YamlPanel />
						</QueryBoundary>
					</div>
				</MarkingProvider>
			</PolicyScreen>
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
