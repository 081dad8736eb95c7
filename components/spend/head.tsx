"use client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { perGpuHour } from "#components/spend/prepare-table.ts";
import { rangeLabel } from "#components/spend/range.ts";
import { type SpendView, useSpend } from "#components/spend/use-spend.ts";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { formatPercent } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";

/** What was spent, of which what, and what is to come. `seesAll`: the amounts set aside are everybody's, not one team's. */
export function SpendHead({ view, seesAll }: { view: SpendView; seesAll: boolean }) {
	const { page, today } = useSpend(view);
	const { totals } = page.groups;
	const home = totals.ownedMicroUsd + totals.idleMicroUsd;
	const used = perGpuHour(home, totals.ownedGpuMs);
	const away = perGpuHour(totals.cloudMicroUsd, totals.cloudGpuMs);
	return (
		<FactStrip columns="1.45fr 1.1fr 1.1fr 1.1fr 1fr" framed={false} className="mt-1">
			<Fact
				label={rangeLabel(view.range, today)}
				lead
				wide
				note={`${formatMoney(home, "posted")} owned + ${formatMoney(totals.cloudMicroUsd, "posted")} cloud`}
			>
				<Money value={totals.totalMicroUsd} />
			</Fact>
			<Fact
				label="Owned hardware"
				note={
					!seesAll
						? "used by your teams"
						: home > 0n
							? `of which idle ${formatMoney(totals.idleMicroUsd, "posted")}, ${formatPercent(Number(totals.idleMicroUsd) / Number(home))}`
							: "none was used"
				}
			>
				<Money value={home} />
			</Fact>
			<Fact label="Cloud, posted" note={<Held seesAll={seesAll} />}>
				<Money value={totals.cloudMicroUsd} />
			</Fact>
			<MonthEndFact forecast={page.forecast} />
			<Fact
				label="Per GPU-hour"
				note={away === null ? "no cloud hours in this range" : `${formatMoney(away, "price")} in the cloud, all models`}
			>
				{used === null ? (
					<span className="text-ink-3">none used</span>
				) : (
					<Money value={used} kind="price" per={<span className="text-sm">owned</span>} />
				)}
			</Fact>
		</FactStrip>
	);
}

function Held({ seesAll }: { seesAll: boolean }) {
	const trpc = useTRPC();
	const { data: budgets } = useSuspenseQuery(trpc.budget.list.queryOptions());
	const held = budgets.find((b) => b.scope.trim() === "true")?.heldMicroUsd ?? 0n;
	if (!seesAll) return "of your teams";
	return held > 0n ? `and ${formatMoney(held, "posted")} held for running jobs` : "nothing held";
}

function MonthEndFact({ forecast }: { forecast: ReturnType<typeof useSpend>["page"]["forecast"] }) {
	const end = formatDay(forecast.monthEndMs - 1, false);
	const cloud = forecast.cloud;
	return (
		<Fact
			label={`Cloud by ${end}`}
			note={
				cloud
					? `likely ${formatMoney(cloud.lowMicroUsd, "whole")} to ${formatMoney(cloud.highMicroUsd, "whole")}`
					: "needs a week of whole days"
			}
		>
			{cloud ? <Money value={cloud.expectedMicroUsd} kind="estimate" /> : <span className="text-ink-3">no forecast yet</span>}
		</Fact>
	);
}
