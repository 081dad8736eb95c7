"use client";
import { useState } from "react";
import { EmptyState } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { ImportPricesDialog } from "./import-prices-dialog.tsx";

/** List prices from files, for installations that cannot reach the clouds' price lists. */
export function PriceSnapshotsPanel({ mayChange }: { mayChange: boolean }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.offer.snapshots.queryOptions());
	const [isOpen, setIsOpen] = useState(false);
	return (
		<>
			<PanelHeader
				title="Imported list prices"
				sub="used where a cloud's live price list cannot be read"
				actions={
					mayChange && (
						<Button size="sm" onClick={() => setIsOpen(true)}>
							Import prices
						</Button>
					)
				}
			/>
			{data.length === 0 ? (
				<EmptyState icon="info" title="No imported prices">
					Import a CSV file to replace older shipped prices.
				</EmptyState>
			) : (
				<Table aria-label="Imported list prices">
					<thead>
						<tr>
							<Th>Provider</Th>
							<Th n>Prices</Th>
							<Th>Dates</Th>
							<Th>Source</Th>
						</tr>
					</thead>
					<tbody>
						{data.map(({ provider, prices, from, to, source, importedAt }) => (
							<Tr key={`${provider} ${importedAt} ${source}`}>
								<Td phone="a">{provider}</Td>
								<Td n phone="b" className="tabular">
									{formatCount(prices)}
								</Td>
								<Td phone="c">{from === to ? from : `${from} to ${to}`}</Td>
								<Td phone="d" className="text-ink-3">
									{source}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
			{isOpen && <ImportPricesDialog onClose={() => setIsOpen(false)} />}
		</>
	);
}
