"use client";
import type { ChosenBudget } from "#components/budgets/use-budget.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { formatPercent } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

type Team = NonNullable<Outputs["budget"]["outlook"]>["teams"][number];

/** The end of the current period as a range, and the teams that it depends on. */
export function OutlookPanel({ chosen }: { chosen: ChosenBudget }) {
	const trpc = useTRPC();
	const { data: outlook } = useSuspenseQuery(trpc.budget.outlook.queryOptions({ id: chosen.id }));
	return (
		<div className="min-w-0 pb-2">
			<PanelHeader title="What the end depends on" sub="each team's demand for GPUs, compared with its last four weeks" />
			{outlook === null ? (
				<p className="px-4 pb-4 text-ink-3">The forecast needs seven full days of data.</p>
			) : (
				<>
					<p className="px-4 pb-2 text-pretty text-ink-2">
						{formatMoney(outlook.expectedMicroUsd, "whole")} at the period's end if cloud cost follows demand:{" "}
						{formatMoney(outlook.lowMicroUsd, "whole")} if every team's demand is low, {formatMoney(outlook.highMicroUsd, "whole")} if it is
						high.
					</p>
					<Teams teams={[...outlook.teams, ...(outlook.others ? [{ team: "other teams", demand: null, ...outlook.others }] : [])]} />
				</>
			)}
		</div>
	);
}

function Teams({ teams }: { teams: readonly Team[] }) {
	if (teams.length === 0) return <p className="px-4 pb-4 text-ink-3">No spend in the last four weeks.</p>;
	return (
		<Table aria-label="Rest of the period by team">
			<thead>
				<tr>
					<Th>Team</Th>
					<Th n>Demand, P10 to P90</Th>
					<Th n>Unchanged</Th>
					<Th n>Low</Th>
					<Th n>Expected</Th>
					<Th n>High</Th>
				</tr>
			</thead>
			<tbody>
				{teams.map((t) => (
					<Tr key={t.team}>
						<Td phone="a" className="font-strong">
							{t.team}
						</Td>
						<Td n phone="b">
							{t.demand ? `${formatPercent(t.demand.p10)} to ${formatPercent(t.demand.p90)}` : "unknown"}
						</Td>
						<Td n>{formatMoney(t.unchangedMicroUsd, "whole")}</Td>
						<Td n phone="c">
							{formatMoney(t.lowMicroUsd, "whole")}
						</Td>
						<Td n>{formatMoney(t.expectedMicroUsd, "whole")}</Td>
						<Td n phone="d">
							{formatMoney(t.highMicroUsd, "whole")}
						</Td>
					</Tr>
				))}
			</tbody>
		</Table>
	);
}
