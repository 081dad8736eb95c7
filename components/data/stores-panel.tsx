import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button, IconButton } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, ThActions, Tr } from "#components/ui/table.tsx";
import { usdToMicro } from "#server/kernel/money.ts";
import { Address } from "./address.tsx";

interface DataStoresPanelProps {
	stores: Outputs["dataSet"]["list"]["stores"];
	/** Null if the user cannot change the list. */
	change: { onAdd: () => void; onRemove: (at: string) => void } | null;
}

/** Stores of regions and owned sites into which Spillway may copy data. */
export function DataStoresPanel({ stores, change }: DataStoresPanelProps) {
	const add = change && (
		<Button size="sm" icon="plus" onClick={change.onAdd}>
			Add store
		</Button>
	);
	return (
		<Panel title="Stores for copies" sub="by place" actions={add}>
			{stores.length === 0 ? (
				<EmptyState icon="info" title="No stores">
					Jobs fetch data themselves, while their GPUs are billed or held.
				</EmptyState>
			) : (
				<Table aria-label="Stores for copies">
					<thead>
						<tr>
							<Th>Place</Th>
							<Th>Folder</Th>
							<Th n>Per GiB-month</Th>
							<Th>For later jobs</Th>
							<ThActions />
						</tr>
					</thead>
					<tbody>
						{stores.map(({ at, uri, usdPerGiBMonth: price, share = false }) => (
							<Tr key={at}>
								<Td phone="a">{at}</Td>
								<Address phone="c" text={uri} />
								<Td n phone="d">
									{price === undefined ? <span className="text-ink-3">Not set</span> : <Money value={usdToMicro(price)} kind="price" />}
								</Td>
								<Td>{share ? "Yes" : "No"}</Td>
								<Td phone="b" className="text-right">
									{change && <IconButton size="sm" icon="x" label={`Remove the store in ${at}`} onClick={() => change.onRemove(at)} />}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}
