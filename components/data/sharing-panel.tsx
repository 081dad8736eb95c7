import { Money } from "#components/money/money.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { Address } from "./address.tsx";

type Shared = Outputs["dataSet"]["list"]["sharing"][number];

/** Data sets that jobs read from elsewhere at a price, and whether a copy would pay for itself in 30 days. */
export function SharingPanel({ sets }: { sets: readonly Shared[] }) {
	if (sets.length === 0) return null;
	return (
		<Panel title="Copies for later jobs" sub="in 30 days">
			<Table aria-label="Copies for later jobs">
				<thead>
					<tr>
						<Th>Data set</Th>
						<Th>Place</Th>
						<Th n>Jobs</Th>
						<Th n>Egress saved</Th>
						<Th n>Cost</Th>
						<Th>Copy</Th>
					</tr>
				</thead>
				<tbody>
					{sets.map((set) => (
						<Tr key={`${set.at} ${set.uri}`}>
							<Address phone="a" text={set.uri} />
							<Td phone="c">{set.at}</Td>
							<Td n>{set.jobs}</Td>
							<Td n phone="b">
								<Money value={BigInt(set.savedMicroUsd)} kind="estimate" />
							</Td>
							<Td n>
								{set.costMicroUsd === null ? (
									<span className="text-ink-3">No storage price</span>
								) : (
									<Money value={BigInt(set.costMicroUsd)} kind="estimate" />
								)}
							</Td>
							<Td phone="e">{copyText(set)}</Td>
						</Tr>
					))}
				</tbody>
			</Table>
		</Panel>
	);
}

function copyText({ isWorth, share }: Shared): string {
	if (!isWorth) return "Costs more than it saves";
	return share ? "Requested" : "Saves; turned off for the store";
}
