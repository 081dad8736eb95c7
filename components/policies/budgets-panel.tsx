"use client";
import type { inferRouterOutputs } from "@trpc/server";
import { budgetsCsv } from "#components/budgets/export-csv.ts";
import { prepareRows } from "#components/budgets/prepare-rows.ts";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { BudgetBar, KeyItem } from "#components/ui/meter.tsx";
import { Panel } from "#components/ui/panel.tsx";
import type { AppRouter } from "#server/api/trpc/router.ts";

type Budget = inferRouterOutputs<AppRouter>["budget"]["list"][number];
const dollars = (micro: bigint) => Number(micro) / 1e6;

const AT_CAP: Record<Budget["atCap"], string> = {
	hold: "At the cap, new bursts are held",
	"checkpoint-and-return": "At the cap, cloud jobs save a checkpoint and move back to owned GPUs",
	terminate: "At the cap, machines are terminated",
};

/** Posted, held and free amount of each cap. */
export function BudgetsPanel() {
	const trpc = useTRPC();
	const { data: budgets } = useSuspenseQuery(trpc.budget.list.queryOptions());
	return (
		<Panel
			title="Budgets"
			sub="hard caps on cloud spend"
			actions={
				budgets.length > 0 && (
					<>
						<span className="flex gap-3.5 text-xs max-md:hidden">
							<KeyItem fill="on_demand">posted</KeyItem>
							<KeyItem fill="held">held</KeyItem>
							<span className="inline-flex items-center gap-1.5">
								<span aria-hidden className="h-3 w-0.5 bg-ink" /> cap
							</span>
						</span>
						<CsvButton size="sm" label="Budgets as CSV" fileName="spillway-budgets.csv" text={() => budgetsCsv(prepareRows(budgets))} />
					</>
				)
			}
		>
			{budgets.length === 0 ? (
				<EmptyState icon="budgets" title="No budgets">
					Add a budget to cap cloud spend per period. Each launch holds its worst case first.
				</EmptyState>
			) : (
				<ul>
					{budgets.map((b) => (
						<li key={b.id} className="hairline-b grid gap-2 px-4 py-3 last:border-b-0">
							<div className="flex flex-wrap items-baseline gap-x-2.5">
								<b className="font-strong">{b.id}</b>
								<span className="text-ink-3">
									{b.scope.trim() === "true" ? "everybody" : b.scope}, {formatDay(b.periodStartMs, false)} to{" "}
									{formatDay(b.periodEndMs - 1, false)}
								</span>
								<span className="num ml-auto">
									<Money
										value={b.freeMicroUsd}
										fact={`budget/${b.id}/${b.periodKey}/free`}
										className={b.freeMicroUsd < 0n ? "font-semibold text-risk-ink" : "font-semibold"}
									/>{" "}
									<span className="text-ink-3">free of {formatMoney(b.capMicroUsd, "whole")}</span>
								</span>
							</div>
							<BudgetBar
								posted={dollars(b.postedMicroUsd)}
								held={dollars(b.heldMicroUsd)}
								cap={dollars(b.capMicroUsd)}
								label={`${b.id}: ${formatMoney(b.postedMicroUsd, "posted")} posted, ${formatMoney(b.heldMicroUsd, "posted")} held, ${formatMoney(b.freeMicroUsd, "posted")} free of ${formatMoney(b.capMicroUsd, "whole")}`}
							/>
							<p className="text-xs text-ink-3">
								<Money value={b.postedMicroUsd} fact={`budget/${b.id}/${b.periodKey}/posted`} className="text-ink-2" /> posted
								{b.capMicroUsd > 0n && ` (${formatPercent(Number(b.postedMicroUsd) / Number(b.capMicroUsd))})`},{" "}
								<Money value={b.heldMicroUsd} fact={`budget/${b.id}/${b.periodKey}/held`} className="text-ink-2" /> held for running
								machines. {AT_CAP[b.atCap]}.
							</p>
						</li>
					))}
				</ul>
			)}
		</Panel>
	);
}
