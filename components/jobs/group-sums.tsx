import type { ReactNode } from "react";
import { Money } from "#components/money/money.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { estimatedTotal, type HourlyRates, hourlyOf } from "./estimate.ts";
import type { LoadedGroup } from "./pages.ts";

/** Group sums under their columns; empty until the whole group is loaded. */
export function groupSums({ group, rows, complete }: LoadedGroup, rates: HourlyRates): Record<string, ReactNode> {
	if (!complete || rows.length === 0) return {};
	const sum = (amounts: readonly (bigint | null)[]) => amounts.reduce<bigint>((total, each) => total + (each ?? 0n), 0n);
	const cost = sum(rows.map((job) => BigInt(job.costMicroUsd)));
	const gpus = formatCount(rows.reduce((total, job) => total + job.gpus, 0));
	if (group.id === "ended") return { total: <Money short value={cost} /> };
	const totals = rows.map((job) => estimatedTotal(job, rates));
	const unknown = totals.filter((each) => each === null).length;
	const total = unknown < rows.length && (
		<span title={unknown > 0 ? `Excludes ${unknown} of ${rows.length}: price or run time unknown` : undefined}>
			<Money short value={sum(totals)} kind="estimate" />
		</span>
	);
	const burn = sum(rows.filter((job) => job.placement && job.placement.capacityType !== "owned").map((job) => hourlyOf(job, rates)));
	return {
		gpus,
		total,
		...(group.id === "running" && cost > 0n ? { cost: <Money short value={cost} /> } : {}),
		...(group.id === "running" && burn > 0n
			? {
					place: (
						<>
							<Money value={burn} kind="price" />
							/h in the cloud
						</>
					),
				}
			: {}),
	};
}
