"use client";
import { PanelBoundary } from "#components/page/error-boundary.tsx";
import { EmptyState, ErrorState, Forbidden, NoResults } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { ChartSkeleton, KpiSkeleton, TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";

export function GalleryStates() {
	return (
		<>
			<KpiSkeleton />
			<div className="grid gap-4 rail:grid-cols-3">
				<Panel title="Loading, a table">
					<TableSkeleton />
				</Panel>
				<Panel title="Loading, a chart">
					<ChartSkeleton height={200} />
				</Panel>
				<Panel title="Loading, text">
					<TextSkeleton />
				</Panel>
				<Panel title="Empty">
					<EmptyState title="No jobs yet" action={{ label: "Submit a job", href: "/jobs/new" }}>
						Jobs that run, wait or have ended stand here. Submit the first by form, with the command line, or by REST.
					</EmptyState>
				</Panel>
				<Panel title="No results">
					<NoResults what="jobs" clearHref="?">
						The search covers names, ids, teams and tags.
					</NoResults>
				</Panel>
				<Panel title="Failed">
					<ErrorState
						title="The jobs could not be loaded"
						detail="The database did not answer within 5 s. It may be restarting; try again."
						requestId="req_01JD8K3V7Q2M"
						onRetry={() => {}}
					/>
				</Panel>
				<Panel title="Forbidden">
					<Forbidden
						what="The spend of other teams"
						who="finance and platform engineers"
						action={{ label: "Your team's spend", href: "/spend" }}
					/>
				</Panel>
				<Panel title="Caught">
					<PanelBoundary what="This panel">
						<p className="px-4 pb-4">Nothing failed inside of this boundary.</p>
					</PanelBoundary>
				</Panel>
			</div>
		</>
	);
}
