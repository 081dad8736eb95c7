"use client";
import { DemandChart } from "#components/charts/demand-chart.tsx";
import { hasDemand, prepareDemandInput } from "#components/overview/prepare-demand.ts";
import { DEMAND_RANGE, type DemandRange, demandQuery } from "#components/overview/range.ts";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** Demand for GPUs up to now. It moves on with the minute even when nothing happens. */
export function DemandPanel({ range }: { range: DemandRange }) {
	const trpc = useTRPC();
	const { data: demand } = useSuspenseQuery({ ...trpc.overview.demand.queryOptions(demandQuery(range)), refetchInterval: MINUTE_MS });
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const homes = sites.filter((s) => s.kind === "owned");
	if (!hasDemand(demand)) {
		return (
			<EmptyState
				icon="overview"
				title={`Nothing ran or waited in the last ${DEMAND_RANGE[range].label}`}
				className="py-20"
				action={{ label: "Submit a job", href: "/jobs/new" }}
			>
				GPUs that jobs use or wait for are drawn here through time: at home below the line, in the cloud or waiting above it.
			</EmptyState>
		);
	}
	return <DemandChart input={prepareDemandInput(demand, homes.length === 1 ? (homes[0]?.name ?? "Home") : "Home")} height={336} />;
}
