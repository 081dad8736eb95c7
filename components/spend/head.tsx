"use client";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { Change, Drill } from "#components/spend/cells.tsx";
import { drillHref, type SpendPart } from "#components/spend/drill.ts";
import { changeOf, perGpuHour } from "#components/spend/prepare-table.ts";
import { datesLabel } from "#components/spend/range.ts";
import { useSpend } from "#components/spend/use-spend.ts";
import { isFiltered, type SpendView, viewLabel } from "#components/spend/view.ts";
import { addDays, dateOf, monthStart, startOfDate } from "#components/spend/zone-days.ts";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";

/** Total spend, its parts and the forecast. `seesAll`: held amounts are company-wide, not per team. */
export function SpendHead({ view, seesAll }: { view: SpendView; seesAll: boolean }) {
	const { page, hour } = useSpend(view);
	const { totals } = page.groups;
	const home = totals.ownedMicroUsd + totals.idleMicroUsd;
	const used = perGpuHour(home, totals.ownedGpuMs);
	const away = perGpuHour(totals.cloudMicroUsd, totals.cloudGpuMs);
	const month = monthFact(view);
	const charges = (part: SpendPart, microUsd: bigint) => (microUsd === 0n ? null : drillHref(view, { part }));
	return (
		<FactStrip columns="1.45fr 1.1fr 1.1fr 1.1fr 1fr" framed={false} className="mt-1">
			<Fact label={viewLabel(view, hour)} lead wide note={<Before view={view} />}>
				<Drill href={charges("all", totals.totalMicroUsd)} what="Total">
					<Money value={totals.totalMicroUsd} fact={month && `${month}/total`} />
				</Drill>
			</Fact>
			<Fact
				label="Owned hardware"
				note={
					!seesAll ? (
						"used by your teams"
					) : home > 0n ? (
						<>
							idle{" "}
							<Drill href={charges("idle", totals.idleMicroUsd)} what="Idle hardware">
								{formatMoney(totals.idleMicroUsd, "posted")}
							</Drill>
							, {formatPercent(Number(totals.idleMicroUsd) / Number(home))}
						</>
					) : (
						"none used"
					)
				}
			>
				<Drill href={charges("home", home)} what="Owned hardware">
					<Money value={home} fact={month && `${month}/side-owned`} />
				</Drill>
			</Fact>
			<Fact label="Cloud, posted" note={<Held all={seesAll && !isFiltered(view)} />}>
				<Drill href={charges("cloud", totals.cloudMicroUsd)} what="Cloud">
					<Money value={totals.cloudMicroUsd} fact={month && `${month}/side-cloud`} />
				</Drill>
			</Fact>
			<MonthEndFact forecast={page.forecast} />
			<Fact
				label="Per GPU-hour"
				note={
					away === null ? (
						"no cloud hours in this range"
					) : (
						<>
							<Drill href={charges("cloud", totals.cloudMicroUsd)} what="Cloud GPU-hour">
								{formatMoney(away, "price")}
							</Drill>{" "}
							cloud, all models
						</>
					)
				}
			>
				{used === null ? (
					<span className="text-ink-3">none used</span>
				) : (
					<Drill href={charges("home", home)} what="Owned GPU-hour">
						<Money value={used} kind="price" per={<span className="text-sm">owned</span>} />
					</Drill>
				)}
			</Fact>
		</FactStrip>
	);
}

/** Compared with the same elapsed part of the previous range. */
function Before({ view }: { view: SpendView }) {
	const { page } = useSpend(view);
	const { before, groups, ledgerStartMs } = page;
	if (before === null || ledgerStartMs === null || before.fromMs < ledgerStartMs) return "no complete previous range";
	const dates = { from: dateOf(before.fromMs, view.zone), to: dateOf(before.toMs - 1, view.zone) };
	const change = changeOf(groups.totals.totalMicroUsd, before.totals.totalMicroUsd);
	if (change === null) return `no spend ${datesLabel(dates)}`;
	const amount = formatMoney(before.totals.totalMicroUsd, "posted");
	const wholeDays = startOfDate(dateOf(before.toMs, view.zone), view.zone) === before.toMs;
	return (
		<>
			<a href="#variance" className="font-strong text-ink hover:underline">
				<Change value={change} />
				<span className="sr-only">: what changed</span>
			</a>{" "}
			vs {datesLabel(dates)}
			{wholeDays ? ", " : " to this hour, "}
			<Drill href={wholeDays ? drillHref({ ...view, dates }, {}) : null} what="Previous range">
				{amount}
			</Drill>
		</>
	);
}

function Held({ all }: { all: boolean }) {
	const trpc = useTRPC();
	const { data: budgets } = useSuspenseQuery(trpc.budget.list.queryOptions());
	const held = budgets.find((b) => b.scope.trim() === "true")?.heldMicroUsd ?? 0n;
	if (!all) return "of this selection";
	return held > 0n ? `and ${formatMoney(held, "posted")} held for running jobs` : "nothing held";
}

function MonthEndFact({ forecast }: { forecast: ReturnType<typeof useSpend>["page"]["forecast"] }) {
	const end = formatDay(forecast.monthEndMs - 1, false);
	const cloud = forecast.cloud;
	return (
		<Fact
			label={`Cloud forecast to ${end}`}
			note={
				cloud ? `range ${formatMoney(cloud.lowMicroUsd, "whole")} to ${formatMoney(cloud.highMicroUsd, "whole")}` : "needs seven full days"
			}
		>
			{cloud ? <Money value={cloud.expectedMicroUsd} kind="estimate" /> : <span className="text-ink-3">no forecast yet</span>}
		</Fact>
	);
}

/** Fact name of an unfiltered range that is exactly one month, the same as on statements. Undefined for other ranges. */
function monthFact(view: SpendView): string | undefined {
	const { dates } = view;
	if (dates === null || isFiltered(view)) return undefined;
	const isMonth = dates.from === monthStart(dates.from) && addDays(dates.to, 1) === monthStart(dates.from, 1);
	return isMonth ? `month/${dates.from.slice(0, 7)}/` : undefined;
}
