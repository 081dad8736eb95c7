import { prepareBudgets, prepareWaits } from "#components/policies/backtest/prepare-result.ts";
import { formatSpan } from "#components/time/format-time.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import type { BacktestResult } from "#server/domain/backtest.ts";
import { LABELS } from "#server/domain/vocabulary.ts";

const WAITS_MAX = 12;

/** Waits by team and class, budgets by period, and limitations of the history. */
export function Details({ result, baseVersion }: { result: BacktestResult; baseVersion: number }) {
	const waits = prepareWaits(result);
	const budgets = prepareBudgets(result);
	return (
		<div className="grid min-w-0 items-start gap-4 rail:grid-cols-2">
			<div className="grid min-w-0 gap-4">
				<Panel title="Limitations" id="backtest-gaps">
					<ul className="grid list-disc gap-1.5 pr-4 pb-4 pl-8 text-pretty text-ink-2">
						{result.gaps.map((gap) => (
							<li key={gap}>{gap}</li>
						))}
					</ul>
				</Panel>
				{budgets.length > 0 && (
					<Panel title="Budgets" sub="spent of cap">
						<Table aria-label="Backtest budgets">
							<thead>
								<tr>
									<Th>Budget</Th>
									<Th n>Version {baseVersion}</Th>
									<Th n>Draft</Th>
								</tr>
							</thead>
							<tbody>
								{budgets.map((row) => (
									<Tr key={row.id}>
										<Td phone="a">
											{row.budget} <span className="block text-ink-3">from {row.from}</span>
										</Td>
										<Td n phone="c">
											{row.published ?? "none"}
										</Td>
										<Td n phone="b">
											{row.draft ?? "none"}
										</Td>
									</Tr>
								))}
							</tbody>
						</Table>
					</Panel>
				)}
			</div>
			<Panel title="Average wait" sub="by team and class, largest change first">
				<Table aria-label="Average wait by team and class">
					<thead>
						<tr>
							<Th>Team</Th>
							<Th n>Jobs</Th>
							<Th n>Version {baseVersion}</Th>
							<Th n>Draft</Th>
						</tr>
					</thead>
					<tbody>
						{waits.slice(0, WAITS_MAX).map((row) => (
							<Tr key={row.id}>
								<Td phone="a">
									{row.team} <span className="text-ink-3">{classLabel(row.workloadClass)}</span>
								</Td>
								<Td n>{formatCount(row.jobs)}</Td>
								<Td n phone="c">
									{row.publishedMs === null ? "none" : formatSpan(row.publishedMs)}
								</Td>
								<Td n phone="b">
									{row.draftMs === null ? "none" : formatSpan(row.draftMs)}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			</Panel>
		</div>
	);
}

function classLabel(value: string): string {
	return Object.entries(LABELS).find(([key]) => key === value)?.[1] ?? value;
}
