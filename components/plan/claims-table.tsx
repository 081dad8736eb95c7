import type { Headline } from "#components/plan/format-plan.ts";
import { cn } from "#components/ui/cn.ts";
import { formatChange } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Published claims next to this trace's figures, with the command that reproduces them. */
export function ClaimsTable({ headline }: { headline: Headline }) {
	const [first] = headline.results;
	return (
		<>
			<PanelHeader title="Published claims" sub="compared with this trace" />
			<Table aria-label="Published claims">
				<thead>
					<tr>
						<Th>Claim</Th>
						<Th n>Claimed</Th>
						<Th n>This trace</Th>
						<Th n>Reached</Th>
						<Th>Method</Th>
					</tr>
				</thead>
				<tbody>
					{headline.results.map(({ id, claim, claimed: { from, to }, measured, reached, how }) => (
						<Tr key={id}>
							<Td phone="a" className="whitespace-normal!">
								{claim}
							</Td>
							<Td n>{from === to ? formatChange(to) : `${formatChange(to)} to ${formatChange(from)}`}</Td>
							<Td n phone="b">
								{measured === null ? "unknown" : formatChange(measured)}
							</Td>
							<Td n phone="d" className={cn("font-semibold", reached ? "text-ok-ink" : "text-risk-ink")}>
								{reached === null ? "unknown" : reached ? "yes" : "no"}
							</Td>
							<Td phone="e" className="py-1.5 whitespace-normal! text-ink-2">
								<div className="max-w-[60ch] text-pretty">{how}</div>
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
			{first && (
				<p className="px-4 py-3 text-xs text-ink-3">
					Reproduce: <code className="select-all">{first.command}</code>
				</p>
			)}
		</>
	);
}
