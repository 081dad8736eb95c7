"use client";
import { useRouter } from "next/navigation";
import { startTransition } from "react";
import { DemandChart } from "#components/charts/demand-chart.tsx";
import { EventsSwitch } from "#components/charts/events-switch.tsx";
import { hasDemand, prepareDemandInput } from "#components/overview/prepare-demand.ts";
import { DEMAND_RANGE, type DemandView, demandQuery, overviewHref } from "#components/overview/range.ts";
import { useDemandMarks } from "#components/overview/use-demand-marks.ts";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** GPU demand up to now; advances every minute even without events. */
export function DemandPanel({ range, hide }: DemandView) {
	const trpc = useTRPC();
	const { data: demand } = useSuspenseQuery({ ...trpc.overview.demand.queryOptions(demandQuery(range)), refetchInterval: MINUTE_MS });
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const homes = sites.filter((s) => s.kind === "owned");
	const marks = useDemandMarks(demand);
	const router = useRouter();
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
	const shown = !hide?.includes("events");
	const toggle = () => startTransition(() => router.replace(overviewHref({ range, hide: shown ? ["events"] : null }), { scroll: false }));
	return (
		<>
			<DemandChart
				input={prepareDemandInput(demand, homes.length === 1 ? (homes[0]?.name ?? "Owned") : "Owned")}
				marks={shown ? marks : []}
				height={336}
			/>
			{marks.length > 0 && (
				<div className="flex px-3 pt-1 pb-2 text-xs text-ink-2">
					<EventsSwitch count={marks.length} on={shown} onToggle={toggle} />
				</div>
			)}
		</>
	);
}
