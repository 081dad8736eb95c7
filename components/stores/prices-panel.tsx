"use client";
import { useState } from "react";
import { Money } from "#components/money/money.tsx";
import { Time } from "#components/time/relative-time.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { PriceDialog, type PricedStore } from "./price-dialog.tsx";

type Storage = Outputs["store"]["list"];

/** Storage and egress prices of every store. `canChange`: the user can set them. */
export function PricesPanel({ storage, canChange }: { storage: Storage; canChange: boolean }) {
	const [edited, setEdited] = useState<PricedStore | null>(null);
	const rows: PricedStore[] = [{ id: EMBEDDED_STORE, name: "Embedded", team: null, price: storage.embeddedPrice }, ...storage.stores];
	return (
		<Panel title="Prices" sub="of storage and egress">
			<Table aria-label="Store prices">
				<thead>
					<tr>
						<Th>Store</Th>
						<Th n>Per GiB-month</Th>
						<Th n>Per GiB out</Th>
						<Th>Since</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<Tr key={row.id}>
							<Td phone="a">
								{row.name} <span className="text-ink-3">{row.team}</span>
							</Td>
							<Td n phone="b">
								<span className="text-ink-3 md:hidden">GiB-month: </span>
								<Price value={row.price.microUsdPerGiBMonth} />
							</Td>
							<Td n phone="c">
								<span className="text-ink-3 md:hidden">GiB out: </span>
								<Price value={row.price.microUsdPerGiBEgress} />
							</Td>
							<Td>{row.price.effectiveFrom !== null && <Time atMs={row.price.effectiveFrom.getTime()} form="short" />}</Td>
							<Td phone="d" className="text-right">
								{canChange && (
									<Button size="sm" variant="link" aria-label={`Set prices of ${row.name}`} onClick={() => setEdited(row)}>
										Prices
									</Button>
								)}
							</Td>
						</Tr>
					))}
				</tbody>
			</Table>
			{edited && <PriceDialog store={edited} onClose={() => setEdited(null)} />}
		</Panel>
	);
}

function Price({ value }: { value: bigint | null }) {
	return value === null ? <span className="text-ink-3">Not set</span> : <Money value={value} kind="price" />;
}
