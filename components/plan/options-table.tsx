import { type Comparison, carbon, type Option, shortUsd, span, usd } from "#components/plan/format-plan.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Every option with time, money and carbon. A row shows it in the chart. */
export function OptionsTable({ comparison, shown, onShow }: { comparison: Comparison; shown: string; onShow: (id: string) => void }) {
	return (
		<div className="min-w-0">
			<PanelHeader title="Options" sub="select a row to plot its payments" />
			<Table aria-label="Options" stacks={false}>
				<thead>
					<tr>
						<Th>Option</Th>
						<Th n>Mean wait</Th>
						<Th n>Time to model</Th>
						<Th n>P95</Th>
						<Th n>Cloud/mo</Th>
						<Th n>Owned/mo</Th>
						<Th n>CO2e</Th>
						<Th n>NPV</Th>
						<Th n>Payback</Th>
					</tr>
				</thead>
				<tbody>
					{comparison.options.map((option) => (
						<OptionRow key={option.id} option={option} isShown={option.id === shown} onShow={onShow} />
					))}
				</tbody>
			</Table>
			<p className="px-4 py-3 text-pretty text-ink-3">
				NPV compares each option with bursting on today&apos;s GPUs. Their purchase price is already paid, so no option includes it.
			</p>
		</div>
	);
}

function OptionRow({ option, isShown, onShow }: { option: Option; isShown: boolean; onShow: (id: string) => void }) {
	const { finance, ranges, perMonth } = option;
	const low = span(ranges.meanTimeToModelS.low);
	const high = span(ranges.meanTimeToModelS.high);
	return (
		<Tr selected={isShown} className={isShown ? "font-semibold" : undefined}>
			<Td className="h-8.5">
				<button type="button" aria-pressed={isShown} className="text-left hover:underline" onClick={() => onShow(option.id)}>
					{option.label}
				</button>
				{option.jobsNeverRan > 0 && <span className="ml-1.5 text-xs font-book text-warn-ink">{option.jobsNeverRan} never fit</span>}
			</Td>
			<Td n className="h-8.5">
				{span(option.meanWaitS)}
			</Td>
			<Td n className="h-8.5" title={`${low} to ${high} in resampled weeks`}>
				{span(option.meanTimeToModelS)}
			</Td>
			<Td n className="h-8.5">
				{span(option.p95TimeToModelS)}
			</Td>
			<Td n className="h-8.5" title={usd(perMonth.cloudUsd)}>
				{shortUsd(perMonth.cloudUsd)}
			</Td>
			<Td n className="h-8.5" title={usd(perMonth.ownedUsd)}>
				{shortUsd(perMonth.ownedUsd)}
			</Td>
			<Td n className="h-8.5">
				{carbon(option.carbon.totalKg)}
			</Td>
			<Td
				n
				className={finance.npvUsd < 0 ? "h-8.5 text-risk-ink" : "h-8.5"}
				title={`${usd(ranges.npvUsd.low)} to ${usd(ranges.npvUsd.high)}`}
			>
				{shortUsd(finance.npvUsd)}
			</Td>
			<Td n className="h-8.5">
				{finance.purchaseUsd === 0 ? (
					""
				) : finance.paybackMonth === null ? (
					<span className="text-ink-3">never</span>
				) : (
					`month ${finance.paybackMonth}`
				)}
			</Td>
		</Tr>
	);
}
