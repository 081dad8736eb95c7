import { Time } from "#components/time/relative-time.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { formatThreeDigits } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

/** Speeds of transfers into regions. Until a link has transfers, published figures hold. */
export function LinksPanel({ links }: { links: Outputs["dataSet"]["list"]["inbound"] }) {
	return (
		<Panel title="Link speeds" sub="into regions, in MiB/s">
			<Table aria-label="Link speeds">
				<thead>
					<tr>
						<Th>From</Th>
						<Th>To</Th>
						<Th n>Median</Th>
						<Th n>P10 to P90</Th>
						<Th>Source</Th>
					</tr>
				</thead>
				<tbody>
					{links.map(({ from, place, mibPerS, lowMiBPerS, highMiBPerS, transfers, newestAtMs }) => (
						<Tr key={`${from} ${place}`}>
							<Td phone="a">{nameOf(from)}</Td>
							<Td phone="c">{nameOf(place)}</Td>
							<Td n phone="b">
								{formatThreeDigits(mibPerS)}
							</Td>
							<Td n>
								{formatThreeDigits(lowMiBPerS)} to {formatThreeDigits(highMiBPerS)}
							</Td>
							<Td phone="d">
								{transfers === 0 ? "Published figures" : `${transfers} ${transfers === 1 ? "transfer" : "transfers"}`}
								{newestAtMs !== null && (
									<>
										, newest <Time atMs={newestAtMs} />
									</>
								)}
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</Panel>
	);
}

function nameOf(end: string): string {
	return end === "*" ? "Any" : end === "address" ? "The job's address" : end;
}
