"use client";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { startTransition, useMemo } from "react";
import { zoomDemand } from "#components/charts/demand.ts";
import { DemandChart } from "#components/charts/demand-chart.tsx";
import { EventsSwitch } from "#components/charts/events-switch.tsx";
import { hasDemand, prepareDemandInput } from "#components/overview/prepare-demand.ts";
import { DEMAND_RANGE, type DemandView, demandQuery, overviewHref, zoomParams } from "#components/overview/range.ts";
import { useDemandMarks } from "#components/overview/use-demand-marks.ts";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

const wholeMinute = (atMs: number): Date => new Date(Math.round(atMs / MINUTE_MS) * MINUTE_MS);

/** GPU demand up to now; advances every minute even without events. */
export function DemandPanel({ range, hide }: DemandView) {
	const trpc = useTRPC();
	const { data: demand } = useSuspenseQuery({ ...trpc.overview.demand.queryOptions(demandQuery(range)), refetchInterval: MINUTE_MS });
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const homes = sites.filter((s) => s.kind === "owned");
	const homeName = homes.length === 1 ? (homes[0]?.name ?? "Owned") : "Owned";
	const [zoom, setZoom] = useQueryStates(zoomParams, { history: "push" });
	const whole = useMemo(() => prepareDemandInput(demand, homeName), [demand, homeName]);
	const input = useMemo(() => {
		const { from, to } = zoom;
		return zoomDemand(whole, from && to && { fromMs: from.getTime(), toMs: to.getTime() });
	}, [whole, zoom]);
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
	const toggle = () =>
		startTransition(() => router.replace(overviewHref({ range, hide: shown ? ["events"] : null, ...zoom }), { scroll: false }));
	return (
		<>
			<DemandChart
				input={input}
				marks={shown ? marks : []}
				height={336}
				onSelect={(fromMs, toMs) => void setZoom({ from: wholeMinute(fromMs), to: wholeMinute(toMs) })}
				onReset={input === whole ? null : () => void setZoom(null)}
			/>
			{(marks.length > 0 || input !== whole) && (
				<div className="flex items-center gap-3 px-3 pt-1 pb-2 text-xs text-ink-2">
					{marks.length > 0 && <EventsSwitch count={marks.length} on={shown} onToggle={toggle} />}
					{input !== whole && (
						<Link href={overviewHref({ range, hide: hide ?? null })} scroll={false} className="font-strong text-accent hover:underline">
							Reset range
						</Link>
					)}
				</div>
			)}
		</>
	);
}
