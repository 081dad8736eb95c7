"use client";
import { DemandChart } from "#components/charts/demand-chart.tsx";
import { hasDemand, prepareDemandInput } from "#components/overview/prepare-demand.ts";
import { DEMAND_RANGE, type DemandRange, demandQuery } from "#components/overview/range.ts";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** GPU demand up to now; advances every minute even without events. */
export function DemandPanel({ range }: { range: DemandRange }) {
	const trpc = useTRPC();
	const { data: demand } = useSuspenseQuery({ ...trpc.overview.demand.queryOptions(demandQuery(range)), refetchInterval: MINUTE_MS });
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const homes = sites.filter((s) => s.kind === "owned");
	if (!hasDemand(demand)) {
		return (
			<EmptyState
				icon="overview"
				title={`No GPU demand recorded in the last ${DEMAND_RANGE[range].label}`}
				className="py-20"
				action={{ label: "Submit job", href: "/jobs/new" }}
			>
				GPU demand over time appears here: owned below the line, cloud and queued above.
			</EmptyState>
		);
	}
	return <DemandChart input={prepareDemandInput(demand, homes.length === 1 ? (homes[0]?.name ?? "Owned") : "Owned")} height={336} />;
}
