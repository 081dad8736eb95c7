import { type Assessment, usd } from "#components/plan/format-plan.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Reserved GPUs that the overflow would have filled, and the savings. */
export function CommitmentsTable({ commitments }: { commitments: Assessment["commitments"] }) {
	const { steps, bestGpus, breakEvenShare, discountShare, regretUsd } = commitments;
	return (
		<div className="min-w-0">
			<PanelHeader title="Reserved GPUs" sub={`at ${formatPercent(discountShare)} off on-demand prices, for demand above owned GPUs`} />
			{steps.length > 0 && (
				<Table aria-label="Reserved GPUs" stacks={false}>
					<thead>
						<tr>
							<Th n>GPUs</Th>
							<Th n>In use</Th>
							<Th n>Savings</Th>
							<Th n>Savings at −20% demand</Th>
						</tr>
					</thead>
					<tbody>
						{steps.map(({ gpus, filled, savedUsd, savedIfDemandFallsUsd }) => (
							<Tr key={gpus} selected={gpus === bestGpus} className={gpus === bestGpus ? "font-semibold" : undefined}>
								<Td n className="h-8">
									{formatCount(gpus)}
								</Td>
								<Td n className="h-8">
									{formatPercent(filled)}
								</Td>
								<Td n className="h-8">
									{usd(savedUsd)}
								</Td>
								<Td n className="h-8">
									{usd(savedIfDemandFallsUsd)}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
			<p className="px-4 py-3 text-pretty text-ink-2">
				{bestGpus === 0
					? `No reservation pays off: no GPU would have been in use for more than ${formatPercent(breakEvenShare)} of the time.`
					: `${formatCount(bestGpus)} GPUs save the most. A reserved GPU breaks even at ${formatPercent(breakEvenShare)} use. Regret if demand falls by 20%: ${usd(regretUsd)}.`}
			</p>
		</div>
	);
}
