"use client";
import { useCallback } from "react";
import { budgetDrill } from "#components/budgets/drill.ts";
import { scopeName } from "#components/budgets/prepare-rows.ts";
import { type ChosenBudget, useBudget } from "#components/budgets/use-budget.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { useTime } from "#components/time/clock.tsx";
import { formatDay } from "#components/time/format-time.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";
import { DAY_MS } from "#server/kernel/units.ts";

/** Remaining budget, cap and forecast. */
export function BudgetHead({ chosen }: { chosen: ChosenBudget }) {
	const b = useBudget(chosen);
	const end = formatDay(b.periodEndMs - 1, false);
	const daysLeft = useTime(useCallback((now: number) => Math.max(0, Math.ceil((b.periodEndMs - now) / DAY_MS)), [b.periodEndMs]));
	const over = daysLeft === 0;
	const perDay = daysLeft > 0 && b.freeMicroUsd > 0n ? b.freeMicroUsd / BigInt(daysLeft) : null;
	const ofPeriod = (1 - (daysLeft * DAY_MS) / (b.periodEndMs - b.periodStartMs)) * 1;
	return (
		<FactStrip columns="1.4fr 1fr 1fr 1fr 1.1fr" framed={false} className="mt-1">
			<Fact
				label={over ? `Remaining on ${end}` : `Free until ${end}`}
				lead
				wide
				note={
					over
						? "period ended"
						: `${daysLeft} ${daysLeft === 1 ? "day" : "days"} left${perDay === null ? "" : `, ${formatMoney(perDay, "whole")} per day`}`
				}
			>
				<Money
					value={b.freeMicroUsd}
					fact={`budget/${b.id}/${b.periodKey}/free`}
					{...(b.freeMicroUsd < 0n ? { className: "text-risk-ink" } : {})}
				/>
			</Fact>
			<Fact label="Cap" note={`${scopeName(b.scope)}, a ${b.period}`}>
				<Money value={b.capMicroUsd} fact={`budget/${b.id}/${b.periodKey}/cap`} kind="whole" />
			</Fact>
			<Fact
				label="Posted"
				note={
					b.capMicroUsd > 0n
						? `${formatPercent(Number(b.postedMicroUsd) / Number(b.capMicroUsd))} of cap${over ? "" : `, ${formatPercent(Math.max(0, ofPeriod))} of the ${b.period} elapsed`}`
						: "the cap is $0"
				}
			>
				<Drill href={b.postedMicroUsd === 0n ? null : budgetDrill(b)} what={`Posted to ${b.id}`}>
					<Money value={b.postedMicroUsd} fact={`budget/${b.id}/${b.periodKey}/posted`} />
				</Drill>
			</Fact>
			<Fact
				label="Held"
				note={b.machines === 0 ? "no running machines" : `worst case of ${b.machines} running ${b.machines === 1 ? "machine" : "machines"}`}
			>
				<Money value={b.heldMicroUsd} fact={`budget/${b.id}/${b.periodKey}/held`} />
			</Fact>
			<Fact
				label={`Forecast to ${end}`}
				note={
					b.forecast
						? `range ${formatMoney(b.forecast.lowMicroUsd, "whole")} to ${formatMoney(b.forecast.highMicroUsd, "whole")}`
						: over
							? "period ended"
							: "needs seven full days"
				}
			>
				{b.forecast ? (
					<Money value={b.forecast.expectedMicroUsd} kind="estimate" />
				) : (
					<span className="text-ink-3">{over ? "none" : "none yet"}</span>
				)}
			</Fact>
		</FactStrip>
	);
}
