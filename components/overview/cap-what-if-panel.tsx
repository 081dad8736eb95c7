"use client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { budgetQuery, budgetsHref } from "#components/budgets/params.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { monthBudget, type Summary } from "#components/overview/lead.ts";
import { whatIfScale } from "#components/overview/what-if-scale.ts";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { formatPercent } from "#components/ui/format-number.ts";
import { Select } from "#components/ui/input.tsx";
import { Fact, FactStrip } from "#components/ui/kpi.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { type CapWhatIf, estimateCap, findReachingDay } from "#server/domain/cap-what-if.ts";

type Budget = Summary["budgets"][number];
type Ahead = readonly { atMs: number; expectedMicroUsd: bigint }[];

const toUsd = (micro: bigint) => Number(micro) / 1e6;
const toMicroUsd = (usd: number) => BigInt(Math.round(usd * 100)) * 10_000n;

/** The month under another cap. Changes nothing; a link opens the form with the amount. */
export function CapWhatIfPanel({ canChange }: { canChange: boolean }) {
	const { data: summary } = useSuspenseQuery(useTRPC().overview.summary.queryOptions());
	const monthly = summary.budgets.filter(({ period }) => period === "month");
	const [chosen, setChosen] = useState<string | null>(null);
	const budget = monthly.find(({ id }) => id === chosen) ?? monthBudget(summary) ?? monthly[0];
	if (!budget) return null;
	return (
		<Panel
			title="What if the cap changes?"
			sub={<span className="max-md:hidden">Estimate. Moving the slider changes nothing.</span>}
			actions={
				monthly.length > 1 && (
					<Select aria-label="Budget" value={budget.id} onChange={(event) => setChosen(event.currentTarget.value)}>
						{monthly.map(({ id }) => (
							<option key={id}>{id}</option>
						))}
					</Select>
				)
			}
		>
			{budget.forecast ? (
				<WhatIf key={budget.id} budget={budget} forecast={budget.forecast} canChange={canChange} />
			) : (
				<p className="px-4 pb-4 text-ink-2">Too little history for {budget.id}: the forecast needs seven full days.</p>
			)}
		</Panel>
	);
}

type WhatIfProps = { budget: Budget; forecast: NonNullable<Budget["forecast"]>; canChange: boolean };

function WhatIf({ budget, forecast, canChange }: WhatIfProps) {
	const { data } = useQuery(useTRPC().budget.get.queryOptions(budgetQuery(budget.id, null)));
	// null: the cap in force, which need not be a step of the slider.
	const [usd, setUsd] = useState<number | null>(null);
	const cap = usd === null ? budget.capMicroUsd : toMicroUsd(usd);
	const { postedMicroUsd, heldMicroUsd, capMicroUsd } = budget;
	const whatIf = estimateCap({ postedMicroUsd, heldMicroUsd, forecast }, cap);
	const { max, step } = whatIfScale({ capUsd: toUsd(capMicroUsd), highUsd: toUsd(forecast.highMicroUsd) });
	const shown = formatMoney(cap, "whole");
	return (
		<div className="grid items-start gap-x-7 gap-y-4 px-4 pb-4 rail:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
			<div className="grid gap-1">
				<label htmlFor="what-if-cap" className="flex flex-wrap items-baseline justify-between gap-x-3 font-medium text-ink-2">
					Monthly cap of {budget.id}
					<b className="figures text-xl leading-[1.3] font-bold text-ink">{shown}</b>
				</label>
				<input
					id="what-if-cap"
					type="range"
					min={0}
					max={max}
					step={step}
					value={usd ?? toUsd(capMicroUsd)}
					aria-valuetext={`${shown}, month end ${formatMoney(whatIf.end.expectedMicroUsd, "estimate")}`}
					onChange={(event) => setUsd(Number(event.currentTarget.value))}
					className="h-6 w-full accent-accent"
				/>
				<span className="flex min-h-7 items-center gap-2 text-xs text-ink-3">
					{usd === null ? "Current cap" : `Current cap ${formatMoney(capMicroUsd, "whole")}`}
					{usd !== null && (
						<Button size="sm" variant="quiet" onClick={() => setUsd(null)}>
							Reset
						</Button>
					)}
					{canChange && usd !== null && (
						<ButtonLink size="sm" className="ml-auto" href={budgetsHref({ budget: budget.id, cap: String(usd) })}>
							Change cap
						</ButtonLink>
					)}
				</span>
			</div>
			<WhatIfFacts whatIf={whatIf} budget={budget} cap={cap} ahead={data?.ahead ?? null} />
		</div>
	);
}

type FactsProps = { whatIf: CapWhatIf; budget: Budget; cap: bigint; ahead: Ahead | null };

function WhatIfFacts({ whatIf: { end, waitingMicroUsd, waitingShare, toComeMicroUsd, reachedNow }, budget, cap, ahead }: FactsProps) {
	const dayMs = ahead && findReachingDay(ahead, cap);
	const committed = formatMoney(budget.postedMicroUsd + budget.heldMicroUsd, "posted");
	return (
		<FactStrip columns="1.1fr 1fr 1fr" framed={false}>
			<Fact
				label={
					<Defined text="Posted plus forecast, up to the cap. Running machines can use what is held, also above the cap.">
						Month end
					</Defined>
				}
				note={`range ${formatMoney(end.lowMicroUsd, "whole")} to ${formatMoney(end.highMicroUsd, "whole")}`}
			>
				<Money value={end.expectedMicroUsd} kind="estimate" />
			</Fact>
			<Fact
				label={
					<Defined text="Now if posted plus held reaches the cap, otherwise the first day on which the forecast does.">Cap reached</Defined>
				}
				note={reachedNow ? `${committed} posted and held` : dayMs === null ? "by the forecast" : "new bursts stop then"}
			>
				{reachedNow ? "now" : ahead === null ? "…" : dayMs === null ? "not this month" : `≈ ${formatDay(dayMs, false)}`}
			</Fact>
			<Fact
				label={<Defined text="Forecast cloud cost until the month ends that does not fit the cap.">Cloud work that waits</Defined>}
				note={`${formatMoney(waitingMicroUsd, "estimate")} of ${formatMoney(toComeMicroUsd, "estimate")} still forecast`}
			>
				{waitingMicroUsd > 0n ? `≈ ${formatPercent(waitingShare)}` : "none"}
			</Fact>
		</FactStrip>
	);
}

function Defined({ text, children }: { text: string; children: ReactNode }) {
	return <span title={text}>{children}</span>;
}
