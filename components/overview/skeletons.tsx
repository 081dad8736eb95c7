import { Panel } from "#components/ui/panel.tsx";
import { KpiSkeleton, Skeleton, TableSkeleton, TextSkeleton } from "#components/ui/skeleton.tsx";

export function SummarySkeleton() {
	return (
		<>
			<TextSkeleton lines={2} className="max-w-215 px-0 py-2" label="Loading summary" />
			<KpiSkeleton label="Loading figures" />
		</>
	);
}

export function FeedSkeleton() {
	return (
		<Panel title="Recent activity">
			<TableSkeleton rows={8} columns={2} label="Loading recent activity" />
		</Panel>
	);
}

export function CloudNowSkeleton() {
	return (
		<Panel title="In the cloud now">
			<div role="status" aria-label="Loading machines" className="grid gap-4 px-4 pb-4">
				{[0, 1, 2].map((i) => (
					<div key={i} className="grid gap-2">
						<Skeleton className="w-1/2" />
						<Skeleton className="h-2.5 w-3/4" />
					</div>
				))}
			</div>
		</Panel>
	);
}
