"use client";
import { useCallback } from "react";
import { BurnDownChart } from "#components/budgets/burn-down-chart.tsx";
import { CapBar } from "#components/budgets/cap-bar.tsx";
import { barOf } from "#components/budgets/prepare-rows.ts";
import { chanceOfPassing, chanceWords, prepareWay } from "#components/budgets/prepare-way.ts";
import { type ChosenBudget, useBudget } from "#components/budgets/use-budget.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { useTime } from "#components/time/clock.tsx";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { cn } from "#components/ui/cn.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { HOUR_MS } from "#server/kernel/units.ts";

/** Remaining budget per day with its forecast. */
export function BurnDownPanel({ chosen }: { chosen: ChosenBudget }) {
	const budget = useBudget(chosen);
	const hour = useTime(useCallback((now: number) => Math.floor(now / HOUR_MS) * HOUR_MS, []));
	const nowMs = hour < budget.periodEndMs ? Math.max(hour, budget.days.at(-1)?.dayStartMs ?? hour) : null;
	const chance = chanceOfPassing(budget);
	return (
		<div className="min-w-0 pb-4">
			<PanelHeader title={`Remaining: ${budget.id}`} sub="USD per day" />
			<BurnDownChart budget={budget} nowMs={nowMs} />
			<p className="px-4 pt-2 text-pretty text-ink-2">
				{nowMs === null ? (
					<>
						Period ended: {formatMoney(budget.postedMicroUsd, "posted")} of {formatMoney(budget.capMicroUsd, "whole")} posted.
					</>
				) : (
					<>
						{budget.freeMicroUsd <= 0n && "Nothing available for new jobs. "}
						{chance === null
							? "The forecast needs seven full days of data."
							: `Based on the last ${budget.forecast?.samples ?? 0} days: ${chanceWords(chance)} before the ${budget.period} ends.`}
					</>
				)}
			</p>
		</div>
	);
}

/** What happens at each threshold, with actual or forecast dates. */
export function WayPanel({ chosen }: { chosen: ChosenBudget }) {
	const trpc = useTRPC();
	const budget = useBudget(chosen);
	const { data: settings } = useSuspenseQuery(trpc.budget.settings.queryOptions());
	const bar = barOf(budget);
	const running = budget.forecast !== null || budget.ahead.length > 0;
	return (
		<div className="min-w-0 pb-3">
			<PanelHeader title="Thresholds" sub={budget.id} />
			<div className="px-4 pb-1">
				<div className="flex justify-between text-xs text-ink-2">
					<b className="font-strong">now {formatPercent(bar.posted + bar.held)} including held</b>
					{bar.forecast && <span>forecast {formatPercent(bar.forecast.middle)}</span>}
				</div>
				<CapBar bar={bar} label={`${budget.id}: ${formatPercent(bar.posted)} of the cap posted, ${formatPercent(bar.held)} held`} />
			</div>
			<ol>
				{prepareWay(budget, settings.thresholdsPercent).map((step) => (
					<li key={step.percent} className="hairline-b grid grid-cols-[3.5rem_minmax(0,1fr)_auto] gap-x-2.5 px-4 py-2.25 last:border-b-0">
						<b className={cn("tabular font-strong", step.passed ? "text-ink-3" : "text-ink")}>{step.percent}%</b>
						<span className={cn("min-w-0 text-pretty", step.passed && "text-ink-2")}>
							{step.what}
							{step.more && <span className="block text-ink-3">{step.more}</span>}
						</span>
						<span className="text-right text-ink-3">
							{step.passed && step.dayMs !== null
								? formatDay(step.dayMs, false)
								: step.dayMs !== null
									? `about ${formatDay(step.dayMs, false)}`
									: running
										? "not expected"
										: "not reached"}
						</span>
					</li>
				))}
			</ol>
		</div>
	);
}
