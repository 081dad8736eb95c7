import { type Comparison, shortUsd } from "#components/plan/format-plan.ts";
import { cn } from "#components/ui/cn.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** NPV of the best purchase with one assumption changed at a time: a tornado. */
export function SensitivityTable({ comparison, best }: { comparison: Comparison; best: string }) {
	const { sensitivities, options, horizonMonths } = comparison;
	const option = options.find(({ id }) => id === best);
	if (!option || sensitivities.length === 0) return <p className="px-4 py-4 text-ink-2">No purchase was replayed.</p>;
	const base = option.finance.npvUsd;
	const values = sensitivities.flatMap(({ low, high }) => [low.npvUsd, high.npvUsd]);
	const [min, max] = [Math.min(0, ...values), Math.max(0, ...values)];
	const pad = Math.max(1, (max - min) * 0.04);
	const at = (npv: number): number => (100 * (npv - min + pad)) / (max - min + 2 * pad);
	return (
		<>
			<PanelHeader
				title="Sensitivity"
				sub={`NPV over ${horizonMonths} months of “${option.label}” compared with bursting. One assumption changes at a time. Base case: ${shortUsd(base)}.`}
			/>
			<Table aria-label="Sensitivities" stacks={false}>
				<thead>
					<tr>
						<Th>Assumption</Th>
						<Th>Assumed</Th>
						<Th n>Low</Th>
						<Th n>NPV</Th>
						<Th className="w-1/3 min-w-40">Loss or gain</Th>
						<Th n>NPV</Th>
						<Th>High</Th>
					</tr>
				</thead>
				<tbody>
					{sensitivities.map(({ name, base: assumed, low, high }) => (
						<Tr key={name}>
							<Td>{name}</Td>
							<Td className="text-ink-2">{assumed}</Td>
							<Td n className="text-ink-3">
								{low.value}
							</Td>
							<Td n className={cn(low.npvUsd < 0 && "text-risk-ink")}>
								{shortUsd(low.npvUsd)}
							</Td>
							<Td>
								<Bar from={at(base)} zero={at(0)} low={at(low.npvUsd)} high={at(high.npvUsd)} />
							</Td>
							<Td n className={cn(high.npvUsd < 0 && "text-risk-ink")}>
								{shortUsd(high.npvUsd)}
							</Td>
							<Td className="text-ink-3">{high.value}</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</>
	);
}

/** From the base to both ends, in percent of the width; the dashed line is zero. */
function Bar({ from, zero, low, high }: { from: number; zero: number; low: number; high: number }) {
	const rect = (to: number) => ({ x: Math.min(from, to), width: Math.max(0.4, Math.abs(to - from)) });
	return (
		<svg viewBox="0 0 100 20" preserveAspectRatio="none" className="block h-5 w-full" aria-hidden>
			<rect {...rect(low)} y="5" height="10" fill={low < from ? "var(--idle)" : "var(--owned)"} />
			<rect {...rect(high)} y="5" height="10" fill={high < from ? "var(--idle)" : "var(--owned)"} />
			<path d={`M${from} 0V20`} stroke="var(--ink)" vectorEffect="non-scaling-stroke" />
			<path d={`M${zero} 0V20`} stroke="var(--risk)" strokeDasharray="2 2" vectorEffect="non-scaling-stroke" />
		</svg>
	);
}
