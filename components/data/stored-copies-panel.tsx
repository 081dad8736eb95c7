import { formatBytes } from "#components/job/job-checkpoints.tsx";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { Address } from "./address.tsx";

type StoredCopy = Outputs["dataSet"]["list"]["stored"][number];

/** Copies that Spillway made in stores of regions. */
export function StoredCopiesPanel({ copies }: { copies: readonly StoredCopy[] }) {
	return (
		<Panel title="Copies in stores" sub="made by Spillway">
			{copies.length === 0 ? (
				<EmptyState icon="info" title="No copies yet">
					Data is copied before its job starts at a place with a store.
				</EmptyState>
			) : (
				<Table aria-label="Copies in stores">
					<thead>
						<tr>
							<Th>Data set</Th>
							<Th>Region</Th>
							<Th>Team</Th>
							<Th n>Size</Th>
							<Th n>Per month</Th>
							<Th>Data as of</Th>
							<Th>Deleted</Th>
						</tr>
					</thead>
					<tbody>
						{copies.map((copy) => (
							<Tr key={`${copy.at} ${copy.uri}`}>
								<Address phone="a" text={copy.uri} />
								<Td phone="c">{copy.at}</Td>
								<Td>{copy.team ?? "Unknown"}</Td>
								<Td n phone="b">
									{copy.bytes === null ? "Unknown" : formatBytes(copy.bytes)}
								</Td>
								<Td n>
									{copy.microUsdPerMonth === null ? (
										<span className="text-ink-3">Unknown</span>
									) : (
										<Money value={copy.microUsdPerMonth} kind="estimate" />
									)}
								</Td>
								<Td phone="e" className="whitespace-normal!">
									<State copy={copy} />
								</Td>
								<Td>{copy.deletedAtMs === null ? "In use" : <Time atMs={copy.deletedAtMs} />}</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

function State({ copy: { asOfMs, copying, error } }: { copy: StoredCopy }) {
	if (error !== null) return <span className="text-risk-ink">{error}</span>;
	if (copying) return "Copying";
	return asOfMs === null ? "None" : <Time atMs={asOfMs} />;
}
