"use client";
import { prepareUse, type UseRow } from "#components/capacity/prepare-use.ts";
import { type HourHeatRow, HourHeatTable } from "#components/charts/hour-heat-table.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { cn } from "#components/ui/cn.ts";
import { Panel } from "#components/ui/panel.tsx";
import { MINUTE_MS } from "#server/kernel/units.ts";

const TITLE = "Owned GPUs in use by hour";
const SUB = "last 24 hours, UTC; percent of the hour with a Spillway job";

/** Owned GPU use by hour, pool and node. */
export function UsePanel() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery({ ...trpc.site.useByHour.queryOptions(), refetchInterval: MINUTE_MS });
	const { hours, rows } = prepareUse(data);
	if (rows.length === 0) return null;
	return (
		<Panel title={TITLE} sub={SUB}>
			<HourHeatTable
				title={TITLE}
				caption={`${TITLE}, ${SUB}`}
				rowLabel="Pool or node"
				color="var(--owned)"
				hours={hours}
				rows={rows.map(heatRowOf)}
				// Last eight hours.
				onPhone={(hour) => hour >= hours.length - 8}
			/>
		</Panel>
	);
}

function heatRowOf({ id, name, detail, isNode, cells, mean }: UseRow): HourHeatRow {
	return {
		id,
		head: {
			name: (
				<>
					<span className={isNode ? "text-ink-2" : "font-semibold text-ink"}>{name}</span>{" "}
					<span className="text-ink-3 max-md:hidden">{detail}</span>
				</>
			),
			className: cn("max-w-28", isNode && "pl-3"),
		},
		cells: cells.map(({ share, ...cell }) => ({
			...cell,
			percent: share === null ? null : Math.round(4 + share * 56),
			className: share === null ? "hatch-off text-ink-3" : "text-ink",
		})),
		mean,
	};
}
