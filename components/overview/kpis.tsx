"use client";
import { Sparkline } from "#components/charts/sparkline.tsx";
import { Carbon } from "#components/emissions/carbon.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { monthBudget, type Site, type Summary } from "#components/overview/lead.ts";
import { CLOUD_SPEND } from "#components/spend/links.ts";
import { formatClock, formatMonth, formatSpan } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { factAttributes } from "#components/ui/fact-attributes.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Kpi, KpiStrip } from "#components/ui/kpi.tsx";
import { BudgetBar, NodeBar, RangeTrack, ShareBar } from "#components/ui/meter.tsx";
import { HOUR_MS } from "#server/kernel/units.ts";

const dollars = (micro: bigint) => Number(micro) / 1e6;

/** Key figures. */
export function OverviewKpis({ seesAll }: { seesAll: boolean }) {
	const trpc = useTRPC();
	const { data: summary } = useSuspenseQuery(trpc.overview.summary.queryOptions());
	const { data: sites } = useSuspenseQuery(trpc.site.list.queryOptions());
	const month = formatMonth(summary.nowMs).split(" ")[0] ?? "";
	return (
		<KpiStrip label="Key figures" columns="1.02fr 1.06fr .96fr 1.62fr .86fr .84fr">
			<OwnedKpi summary={summary} sites={sites} month={month} seesAll={seesAll} />
			<QueueKpi summary={summary} />
			<BurnKpi summary={summary} />
			<BudgetKpi summary={summary} month={month} seesAll={seesAll} />
			<RiskKpi summary={summary} />
			<CarbonKpi summary={summary} month={month} seesAll={seesAll} />
		</KpiStrip>
	);
}

type MonthProps = { summary: Summary; month: string; seesAll: boolean };

function OwnedKpi({ summary: { owned, month: spend }, sites, month, seesAll }: MonthProps & { sites: readonly Site[] }) {
	const label = `${owned.busy} of ${owned.gpus} owned GPUs busy`;
	return (
		<Kpi
			label="Owned GPUs busy"
			value={<span {...factAttributes("owned/busy", owned.busy)}>{formatCount(owned.busy)}</span>}
			unit={`of ${formatCount(owned.gpus)}`}
			href="/sites"
			graphic={<NodeBar label={label} nodes={nodesOf(sites)} />}
			note={
				spend && (
					<>
						<b>{formatMoney(spend.totals.ownedMicroUsd + spend.totals.idleMicroUsd, "whole")}</b>
						{seesAll ? "" : " by your teams"} in {month}
						{spend.totals.idleMicroUsd > 0n && (
							<>
								, <b>{formatMoney(spend.totals.idleMicroUsd, "whole")}</b> idle
							</>
						)}
					</>
				)
			}
		/>
	);
}

/** One mark per node, or per GPU if there are few. */
function nodesOf(sites: readonly Site[]): { id: string; busy: number }[] {
	const pools = sites.flatMap((s) => s.pools.map((p) => ({ ...p, key: `${s.id}/${p.id}` })));
	const single = pools.reduce((sum, p) => sum + p.gpus, 0) <= 24;
	return pools.flatMap((pool) => {
		// A pool too large for slots is one mark.
		if (pool.slots.length === 0) return pool.gpus === 0 ? [] : [{ id: pool.key, busy: pool.busy / pool.gpus }];
		const size = single ? 1 : Math.max(1, pool.gpusPerNode);
		return Array.from({ length: Math.ceil(pool.gpus / size) }, (_, i) => {
			const own = pool.slots.slice(i * size, (i + 1) * size);
			return { id: `${pool.key}/${i}`, busy: own.length > 0 ? own.filter((s) => s.state === "busy").length / own.length : 0 };
		});
	});
}

function QueueKpi({ summary: { queue, nowMs } }: { summary: Summary }) {
	const half = queue.lastStart ? Math.max(0, queue.lastStart.p50Ms - nowMs) : null;
	const most = queue.lastStart ? Math.max(0, queue.lastStart.p90Ms - nowMs) : null;
	return (
		<Kpi
			label="Jobs waiting"
			value={<span {...factAttributes("jobs/queued", queue.jobs)}>{formatCount(queue.jobs)}</span>}
			unit={queue.jobs === 0 ? "" : `need ${formatCount(queue.gpus)} GPU${queue.gpus === 1 ? "" : "s"}`}
			href="/jobs"
			graphic={
				half !== null && most !== null ? (
					<RangeTrack
						middle={half}
						high={most}
						max={Math.max(HOUR_MS / 6, most * 1.15)}
						label={`Last owned start in ${formatSpan(half)}; 9 of 10 forecasts within ${formatSpan(most)}`}
					/>
				) : (
					<span />
				)
			}
			note={
				half !== null && most !== null ? (
					<>
						Last owned start in <b>≈ {formatSpan(half)}</b>, in <b>{formatSpan(most)}</b> in 9&nbsp;of&nbsp;10
					</>
				) : queue.jobs > 0 ? (
					queue.held === queue.jobs ? (
						"all held"
					) : (
						"No forecast: owned GPUs cannot run them, or not scheduled yet"
					)
				) : (
					"New jobs are scheduled within a second"
				)
			}
		/>
	);
}

function BurnKpi({ summary: { cloud, burn, nowMs } }: { summary: Summary }) {
	const points = burn.map((p, i) => ({ atMs: burn[i - 1]?.atMs ?? p.atMs - 900_000, value: dollars(BigInt(p.microUsdPerHour)) }));
	const peak = burn.reduce(
		(high, p) => (BigInt(p.microUsdPerHour) > high ? BigInt(p.microUsdPerHour) : high),
		BigInt(cloud.burnMicroUsdPerHour),
	);
	return (
		<Kpi
			label="Cloud burn now"
			value={<Money value={cloud.burnMicroUsdPerHour} kind="price" fact="cloud/burn" />}
			unit="per hour"
			href="/sites"
			graphic={
				<Sparkline
					className="h-2.5"
					label={`Cloud burn, last 24 hours, up to ${formatMoney(peak, "price")} per hour`}
					toMs={nowMs}
					points={points}
				/>
			}
			note={
				<>
					{cloud.instances === 0 ? "no machines" : `${formatCount(cloud.instances)} machine${cloud.instances === 1 ? "" : "s"}`}. 24&nbsp;h
					peak <b>{formatMoney(peak, "price")}</b>
				</>
			}
		/>
	);
}

function BudgetKpi({ summary, month, seesAll }: { summary: Summary; month: string; seesAll: boolean }) {
	const budget = monthBudget(summary);
	const forecast = seesAll ? (budget?.forecast ?? summary.forecast?.cloud ?? null) : null;
	const own = summary.ownMonth;
	const posted = own ? own.totalMicroUsd : (budget?.postedMicroUsd ?? summary.month?.totals.cloudMicroUsd ?? 0n);
	const words = budget
		? [
				`${formatMoney(budget.postedMicroUsd, "posted")} posted, ${formatMoney(budget.heldMicroUsd, "posted")} held of ${formatMoney(budget.capMicroUsd, "whole")}`,
				forecast ? `, forecast ${formatMoney(forecast.lowMicroUsd, "whole")} to ${formatMoney(forecast.highMicroUsd, "whole")}` : "",
			].join("")
		: "";
	return (
		<Kpi
			wide
			label={own ? `Your jobs in ${month}` : `Cloud spend in ${month}`}
			value={<Money value={posted} fact={budget && seesAll ? `budget/${budget.id}/${budget.periodKey}/posted` : undefined} />}
			unit={budget && seesAll ? `of ${formatMoney(budget.capMicroUsd, "whole")} budget` : undefined}
			href={own ? "/spend" : budget ? "/budgets" : CLOUD_SPEND}
			graphic={
				// The company budget's bar is not relevant to a person's own jobs.
				budget && !own ? (
					<BudgetBar
						posted={dollars(budget.postedMicroUsd)}
						held={dollars(budget.heldMicroUsd)}
						cap={dollars(budget.capMicroUsd)}
						{...(forecast
							? {
									forecast: {
										low: dollars(forecast.lowMicroUsd),
										middle: dollars(forecast.expectedMicroUsd),
										high: dollars(forecast.highMicroUsd),
									},
								}
							: {})}
						label={words}
					/>
				) : (
					<span />
				)
			}
			note={
				own ? (
					<OwnNote own={own} budget={budget} teams={summary.month?.totals.cloudMicroUsd ?? 0n} />
				) : (
					<BudgetNote budget={budget} forecast={forecast} />
				)
			}
		/>
	);
}

type Budget = ReturnType<typeof monthBudget>;
type Forecast = NonNullable<Summary["forecast"]>["cloud"];

/** The person's cloud share, the teams' cloud spend, and the rest of the company's budget. */
function OwnNote({ own, budget, teams }: { own: NonNullable<Summary["ownMonth"]>; budget: Budget; teams: bigint }) {
	return (
		<>
			<b>{formatMoney(own.cloudMicroUsd, "posted")}</b> of it in the cloud. Your teams: <b>{formatMoney(teams, "posted")}</b> in the cloud.
			{budget && (
				<>
					{" "}
					Company budget: <b>{formatMoney(budget.freeMicroUsd, "posted")}</b> left of {formatMoney(budget.capMicroUsd, "whole")}
				</>
			)}
		</>
	);
}

function BudgetNote({ budget, forecast }: { budget: Budget; forecast: Forecast }) {
	if (!budget) return "No monthly cloud budget in the policy";
	return (
		<>
			<b>{formatMoney(budget.heldMicroUsd, "posted")}</b> held for running jobs.{" "}
			{forecast ? (
				<>
					Forecast month end <b>{formatMoney(forecast.expectedMicroUsd, "estimate")}</b> ({formatMoney(forecast.lowMicroUsd, "whole")} to{" "}
					{formatMoney(forecast.highMicroUsd, "whole")})
				</>
			) : (
				"Forecast needs seven full days"
			)}
		</>
	);
}

const WHY: Record<Summary["risk"]["items"][number]["why"], string> = {
	not_seen_gone: "not confirmed terminated",
	cut_off: "disconnected",
	launch_unclear: "with unconfirmed launch",
	past_expiry: "past their limit",
	of_nobody: "without a job",
};

function RiskKpi({ summary: { risk } }: { summary: Summary }) {
	const kinds = (Object.keys(WHY) as (keyof typeof WHY)[]).flatMap((why) => {
		const n = risk.items.filter((i) => i.why === why).length;
		return n > 0 ? [`${n} ${WHY[why]}`] : [];
	});
	const unpriced = risk.items.filter((i) => i.microUsd === null).length;
	const isEstimate = risk.items.some((i) => i.isEstimate);
	const oldest = risk.items.reduce((at, i) => Math.min(at, i.sinceMs), Number.POSITIVE_INFINITY);
	return (
		<Kpi
			label="Money at risk"
			value={<Money value={risk.totalMicroUsd} kind={risk.items.length === 0 ? "whole" : isEstimate ? "estimate" : "posted"} />}
			href="/sites"
			{...(risk.items.length > 0 ? { tone: "risk" as const } : {})}
			graphic={<span />}
			note={
				kinds.length > 0
					? `Machines: ${kinds.join(", ")}, since ${formatClock(oldest)}${unpriced > 0 ? `; price of ${unpriced} unknown` : ""}`
					: "No stray machines or unconfirmed launches"
			}
		/>
	);
}

function CarbonKpi({ summary: { month: spend }, month, seesAll }: MonthProps) {
	if (!spend) return <Kpi label={`CO2 in ${month}`} value="–" graphic={<span />} note="Not visible to your role" />;
	const home =
		spend.items.filter((i) => i.ownedMicroUsd + i.idleMicroUsd > 0n).reduce((sum, i) => sum + i.emissionsMilligrams, 0n) / 1_000n;
	const all = spend.totals.emissionsMilligrams / 1_000n;
	const cloud = all - home;
	return (
		<Kpi
			label={`CO2 in ${month}`}
			value={<Carbon grams={all} estimate />}
			href="/carbon"
			graphic={
				<ShareBar
					className="h-2.5"
					label={`${home} g owned, ${cloud} g cloud, estimated`}
					parts={[
						{ id: "o", value: Number(home), fill: "carbon", label: "owned" },
						{ id: "c", value: Number(cloud), fill: "carbon_soft", label: "cloud" },
					]}
				/>
			}
			note={
				<>
					{seesAll ? "Operational, estimated" : "Your teams, operational, estimated"}.{" "}
					<b>
						<Carbon grams={home} estimate />
					</b>{" "}
					owned,{" "}
					<b>
						<Carbon grams={cloud} estimate />
					</b>{" "}
					cloud
				</>
			}
		/>
	);
}
