"use client";
import { useQueryStates } from "nuqs";
import { PageHeader } from "#components/page/page-header.tsx";
import { PanelGate } from "#components/page/panel-gate.tsx";
import { ScreenLive } from "#components/page/screen-live.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { TableSkeleton } from "#components/ui/skeleton.tsx";
import { TabLinks } from "#components/ui/tabs.tsx";
import { JobsList } from "./jobs-list.tsx";
import { JobsToolbar } from "./jobs-toolbar.tsx";
import { currentView, viewTabs } from "./saved-views.ts";
import { jobSearchParams } from "./search-params.ts";
import { ViewMenu } from "./view-menu.tsx";

export function JobsScreen() {
	const [search] = useQueryStates(jobSearchParams);
	const { data: views } = useSuspenseQuery(useTRPC().view.list.queryOptions());
	const current = currentView(search, views);
	return (
		<>
			<PageHeader title="Jobs" meta={<ScreenLive />} actions={<NewJob />} />
			<TabLinks
				label="Views"
				edge
				className="bg-bg"
				current={current?.id ?? search.view}
				tabs={viewTabs(views)}
				endOnPhones
				end={<ViewMenu current={current} />}
			/>
			<PanelGate what="jobs" fallback={<ListSkeleton />} above={<Filters />}>
				<JobsList />
			</PanelGate>
		</>
	);
}

/** Shown even if jobs fail to load, since the filters may be the cause. */
function Filters() {
	return (
		<PanelGate what="filters" fallback={null} instead={null}>
			<JobsToolbar end={null} />
		</PanelGate>
	);
}

function NewJob() {
	const { data: me } = useSuspenseQuery(useTRPC().me.queryOptions());
	if (me.kind !== "person" || me.role === "finance") return null;
	return (
		<ButtonLink variant="primary" href="/jobs/new">
			New job
		</ButtonLink>
	);
}

function ListSkeleton() {
	return (
		<>
			<div className="h-13.5" />
			<div className="border-t bg-panel">
				<TableSkeleton rows={14} columns={8} label="Loading jobs" />
			</div>
		</>
	);
}
